import { type Config, ConfigError, readConfig } from '../../lib/config';
import { errorMessage } from '../../lib/errors';
import { CHECKS } from './checks';
import { Deployment } from './deployment';
import { type Check, fault, type Finding, note, type CheckContext, withoutSecrets } from './finding';

const MAX_CHECK_MS = 15_000;

/** A finding with the name of its check. */
export interface Report extends Finding {
  readonly check: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Runs all checks of an environment without starting the service. Takes at most half a minute. */
export async function examine(env: Env, checks: readonly Check[] = CHECKS): Promise<Report[]> {
  const config = configOf(env);
  if (Array.isArray(config)) return config.map((finding) => ({ check: 'configuration', ...finding }));
  const deployment = new Deployment(config);
  const context: CheckContext = { config, env, deployment };
  const configuration: Report = { check: 'configuration', severity: 'ok', what: 'all variables are valid' };
  try {
    const found = await Promise.all(checks.map((check) => runWithTimeout(check, context)));
    return [configuration, ...found.flat()];
  } finally {
    await deployment.close();
  }
}

/** Without a valid configuration no other check can run. */
function configOf(env: Env): Config | Finding[] {
  try {
    return readConfig(env);
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    return cause.faults.map((what) =>
      fault(what, 'Set it to an allowed value; docs/configuration.md lists all variables.'),
    );
  }
}

async function runWithTimeout(check: Check, context: CheckContext): Promise<Report[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding[]>((resolve) => {
    const timedOut = fault(`there is no answer in ${MAX_CHECK_MS / 1_000} s`, check.mend);
    timer = setTimeout(() => resolve([timedOut]), MAX_CHECK_MS);
  });
  const running = runCheck(check, context).catch((cause: unknown) => [
    fault(withoutSecrets(errorMessage(cause)), check.mend),
  ]);
  const findings = await Promise.race([running, late]);
  clearTimeout(timer);
  return findings.map((finding) => ({ check: check.name, ...finding }));
}

async function runCheck(check: Check, context: CheckContext): Promise<readonly Finding[]> {
  if (check.needsDatabase === true && !(await context.deployment.opens()))
    return [note('skipped: the database cannot be opened')];
  return check.run(context);
}
