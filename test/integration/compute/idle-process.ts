import { echoTask } from '../../support/compute/tasks';
import { openTestCompute } from '../../support/compute-pool';

/** Runs one task, closes nothing, and has nothing else to do. */
void openTestCompute()
  .lane('a')
  .run(echoTask, 1)
  .then((result) => process.stdout.write(`computed ${result}\n`));
