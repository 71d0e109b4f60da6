import type { Execution } from '../model';

/** True for a run past its deadline. */
export const isOverdue = ({ deadlineAt }: Pick<Execution, 'deadlineAt'>, now: number): boolean =>
  deadlineAt !== null && deadlineAt <= now;
