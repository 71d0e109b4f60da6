/** Parses a stored timer. Timers without a kind predate pollers: they are schedules. */
export function parseStoredTimer<T extends { readonly kind: string }>(text: string): T {
  // Validated when the workflow was saved.
  const timer = JSON.parse(text) as T | Omit<T, 'kind'>;
  return 'kind' in timer ? timer : ({ kind: 'schedule', ...timer } as unknown as T);
}
