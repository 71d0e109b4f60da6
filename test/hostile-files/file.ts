/** A file that may be uploaded to do harm, or in error. */
export interface HostileFile {
  readonly title: string;
  readonly filename: string;
  readonly content: () => Buffer;
  /** The expected result: `parsed`, or error codes; any result when left out. */
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
