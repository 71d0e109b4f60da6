import type { BrokerOptions, RunnerFlags } from 'moleculer';
import { systemClock } from '../lib/clock';
import { ConfigError } from '../lib/config';
import { loadConfig } from './broker-options';
import { retryStartup } from './retry-startup';
import { preflight } from './preflight';
import { openProcess } from './process';
import { serve } from './serve';
import { serviceFile } from './service-files';
import { fatal } from './error-text';

/** The used part of the runner, which calls the function of a configuration file as its method. */
interface Runner {
  readonly flags: RunnerFlags | null;
  overwriteFromEnv(options: BrokerOptions): BrokerOptions;
}

/**
 * Configuration for `moleculer-runner`: opens the process as `npm start` does and returns the options of its broker.
 * The runner then loads the services of SERVICES, or those of its command line.
 */
export async function runnerOptions(this: Runner): Promise<BrokerOptions> {
  const began = performance.now();
  try {
    const config = loadConfig();
    assertSupported(this.flags);
    await preflight(config);
    // The runner would override options by variables of the same name, such as the transporter by TRANSPORTER.
    this.overwriteFromEnv = (options) => options;
    // The runner resolves names of SERVICES in the working directory, but also accepts paths.
    if (config.services !== null) process.env.SERVICES = config.services.map(serviceFile).join(',');
    const { options, running } = await retryStartup((answered) => openProcess(config, fatal, answered), systemClock);
    return { ...options, started: (broker) => serve(config, running(broker), performance.now() - began) };
  } catch (fault) {
    return fatal(fault);
  }
}

/** @throws ConfigError for runner options that the service does not support */
function assertSupported(flags: RunnerFlags | null): void {
  const faults: string[] = [];
  if (flags?.hot)
    faults.push('moleculer-runner --hot cannot replace a service without losing its runs; use "npm run dev"');
  if (flags?.instances !== undefined)
    faults.push('moleculer-runner --instances gives several processes one port and one name; start each by itself');
  if (faults.length > 0) throw new ConfigError(faults);
}
