import { LockedError, StoreError } from '../embedded';
import { ConfigError } from '../lib/config';
import { isUnreachable } from '../lib/database';
import { NewerDataError } from '../lib/migrations';

/** Faults that the operator can fix become one sentence; defects of the program keep their stack. */
export function errorText(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  if (isUnreachable(fault) || fault.name.startsWith('Mongo')) return `The database cannot be used: ${fault.message}`;
  const mendable =
    fault instanceof ConfigError ||
    fault instanceof LockedError ||
    fault instanceof StoreError ||
    fault instanceof NewerDataError ||
    'syscall' in fault;
  return mendable ? fault.message : (fault.stack ?? fault.message);
}

/** Prints the error and ends the process. */
export function fatal(fault: unknown): never {
  process.stderr.write(`${errorText(fault)}\n`);
  process.exit(1);
}
