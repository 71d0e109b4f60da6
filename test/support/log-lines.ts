import { inspect } from 'node:util';
import { Loggers } from 'moleculer';

/** A logger for brokers of tests, of every level, that hands on each line as text. */
export class LogLines extends Loggers.Base<Loggers.Base.LoggerOptions> {
  constructor(private readonly take: (line: string) => void) {
    super({ level: 'trace' });
  }

  override getLogHandler() {
    return (level: string | null, args: unknown[]): void =>
      this.take(
        `${level}: ${args.map((arg) => (typeof arg === 'string' ? arg : inspect(arg, { depth: 8 }))).join(' ')}`,
      );
  }
}
