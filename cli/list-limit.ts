import { CliError } from './exits';

const DEFAULT_ROWS = 20;

/** The value of `--limit`. @throws CliError (usage) */
export function limitOption(text: string | undefined): number {
  const limit = Number(text ?? DEFAULT_ROWS);
  if (Number.isInteger(limit) && limit >= 1) return limit;
  throw new CliError('usage', '--limit must be a whole number from 1');
}
