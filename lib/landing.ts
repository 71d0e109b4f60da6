/** The front end with the outcome in the fragment, which browsers send to no server and put in no Referer. */
export const landing = (
  frontendUrl: string | null,
  base: string,
  outcome: Readonly<Record<string, string>>,
  path = '',
): string => `${frontendUrl ?? `${base}/console`}${path}#${new URLSearchParams(outcome)}`;
