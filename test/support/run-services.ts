import type { ServiceSchema } from 'moleculer';
import type { App } from '../../services/app';
import { Engine } from '../../services/executor/engine';
import { executionsService } from '../../services/executor/executions.service';
import { executorService } from '../../services/executor/executor.service';
import { Records } from '../../services/executor/records';
import { RunEndFeed } from '../../services/executor/run-end-feed';

/** `executor` and `executions` of an app, which share their records where both are made. */
export function runServices(app: App): { executor: () => ServiceSchema; executions: () => ServiceSchema } {
  const records = new Records(app, new RunEndFeed(app));
  return {
    executor: () => executorService(app, new Engine(app, records)),
    executions: () => executionsService(app, records),
  };
}

/** Both on one node. */
export const executorServices = (app: App): ServiceSchema[] => {
  const { executor, executions } = runServices(app);
  return [executor(), executions()];
};
