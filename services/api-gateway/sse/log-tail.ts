import type { ResultOf } from '../../../contracts/catalogue';
import type { RunLogLine } from '../../../contracts/executions/views';

/** The log lines of a run for one stream. */
export class LogTail {
  /** `onError` throws when access is over; else the lines are read again later. */
  constructor(
    private readonly read: (after: number) => Promise<ResultOf<'executions.logs'>>,
    private readonly onError: (error: unknown) => void,
    private after: number,
  ) {}

  /** The lines since the last call. @throws what `onError` throws */
  async lines(): Promise<RunLogLine[]> {
    const lines: RunLogLine[] = [];
    try {
      for (let more = true; more; ) {
        const { data, next_after: next, more: others } = await this.read(this.after);
        lines.push(...data);
        this.after = next;
        more = others;
      }
    } catch (error) {
      this.onError(error);
    }
    return lines;
  }
}
