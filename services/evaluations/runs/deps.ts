import type { Call } from '../../../contracts/catalogue';
import type { StartRun } from '../../../mixins/start-run';
import type { App } from '../../app';
import type { EvaluationModels } from '../models';

/** What the work of evaluations needs. */
export interface WorkDeps {
  readonly app: App;
  readonly models: EvaluationModels;
  readonly starts: StartRun;
  readonly call: Call;
  readonly warn: (message: string, fault: unknown) => void;
}
