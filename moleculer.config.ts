import { runnerOptions } from './start/runner';

/** For `moleculer-runner --config dist/moleculer.config.js "dist/services/**\/*.service.js"`; see docs/operations.md. */
export default runnerOptions;
