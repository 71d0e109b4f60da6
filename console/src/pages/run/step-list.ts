import type { ExecutionView } from '../../api/client';
import type { StepFilter } from './queries';

/** What the lists of steps of a run have in common. */
export interface StepListProps {
  readonly run: ExecutionView;
  /** The path of the step whose panel is open. */
  readonly selected: string | undefined;
  readonly filter: StepFilter;
  readonly onOpenStep: (path: string) => void;
  readonly onFilter: (filter: StepFilter) => void;
}
