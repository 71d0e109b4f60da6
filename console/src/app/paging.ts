/** The options of an infinite query over a list with cursors. */
export const pagesByCursor = {
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor: cursor }: { readonly next_cursor: string | null }) => cursor,
};

/** Fetches a list again after a time, for lists that no event is about. Only one that has not been scrolled. */
export const whileNotScrolled =
  (refreshMs: number) =>
  ({
    state,
  }: {
    readonly state: { readonly data?: { readonly pages: readonly unknown[] } | undefined };
  }): number | false =>
    (state.data?.pages.length ?? 0) > 1 ? false : refreshMs;

/** The options of an infinite query over a list with offsets. */
export const pagesByOffset = {
  initialPageParam: 0,
  getNextPageParam: ({ data, limit, offset }: { readonly data: readonly unknown[]; limit: number; offset: number }) =>
    data.length < limit ? null : offset + limit,
};

const MAX_ROWS = 200;

/** All rows of a list with offsets that is short: reads page after page. */
export async function allRows<T>(
  read: (page: { limit: number; offset: number }) => Promise<{ readonly data: readonly T[] }>,
): Promise<T[]> {
  const rows: T[] = [];
  for (let offset = 0; ; offset += MAX_ROWS) {
    const { data } = await read({ limit: MAX_ROWS, offset });
    rows.push(...data);
    if (data.length < MAX_ROWS) return rows;
  }
}
