/** Whether a time lies ahead. */
export const isFuture = (at: string | null): at is string => at !== null && Date.parse(at) > Date.now();
