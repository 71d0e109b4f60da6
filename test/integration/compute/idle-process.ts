import { echoTask, openTestCompute } from '../../support/compute/tasks.cjs';

/** Runs one task, closes nothing, and has nothing else to do. */
void openTestCompute()
  .lane('a')
  .run(echoTask, 1)
  .then((result) => process.stdout.write(`computed ${result}\n`));
