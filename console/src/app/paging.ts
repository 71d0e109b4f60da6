/** The options of an infinite query over a list with cursors. Only a list that has not been scrolled is refreshed. */
export const pagesByCursor = (refreshMs: number) => ({
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor: cursor }: { readonly next_cursor: string | null }) => cursor,
  refetchInterval: ({
    state,
  }: {
    readonly state: { readonly data?: { readonly pages: readonly unknown[] } | undefined };
  }) => ((state.data?.pages.length ?? 0) > 1 ? (false as const) : refreshMs),
});
