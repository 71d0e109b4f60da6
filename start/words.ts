import { LockedError } from '../embedded';
import { ConfigError } from '../lib/config';
import { isUnreachable } from '../mixins/database';
import { NewerDataError } from '../mixins/migrations';

/** What the operator can mend is said in a sentence; a stack is for faults of the program. */
export function inWords(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  if (isUnreachable(fault) || fault.name.startsWith('Mongo')) return `The database cannot be used: ${fault.message}`;
  const mendable =
    fault instanceof ConfigError ||
    fault instanceof LockedError ||
    fault instanceof NewerDataError ||
    'syscall' in fault;
  return mendable ? fault.message : (fault.stack ?? fault.message);
}

/** Ends the process with the fault in words. */
export function fatal(fault: unknown): never {
  process.stderr.write(`${inWords(fault)}\n`);
  process.exit(1);
}
