/** A file that somebody may send to do harm, or in error. */
export interface HostileFile {
  readonly title: string;
  readonly filename: string;
  readonly content: () => Buffer;
  /** What it must come to: `parsed`, or codes of faults; any of all when left out. */
  readonly comesTo?: readonly string[];
  readonly url?: string;
}

export const file = (
  title: string,
  filename: string,
  content: () => Buffer | string,
  ...comesTo: readonly string[]
): HostileFile => ({
  title: `${title} (${filename})`,
  filename,
  content: () => Buffer.from(content() as string),
  ...(comesTo.length === 0 ? {} : { comesTo }),
});
