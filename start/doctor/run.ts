import { type Config, ConfigError, readConfig } from '../../lib/config';
import { errorMessage } from '../../lib/errors';
import { CHECKS } from './checks';
import { Deployment } from './deployment';
import { type Check, fault, type Finding, note, type Patient, withoutSecrets } from './finding';

const LONGEST_MS = 15_000;

/** A finding, and the check that made it. */
export interface Report extends Finding {
  readonly check: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Looks at everything that an environment names, without starting the service. Takes half a minute at the longest. */
export async function examine(env: Env, checks: readonly Check[] = CHECKS): Promise<Report[]> {
  const config = configOf(env);
  if (Array.isArray(config)) return config.map((finding) => ({ check: 'configuration', ...finding }));
  const deployment = new Deployment(config);
  const patient: Patient = { config, env, deployment };
  const configuration: Report = { check: 'configuration', severity: 'ok', what: 'every variable can be used' };
  try {
    const found = await Promise.all(checks.map((check) => bounded(check, patient)));
    return [configuration, ...found.flat()];
  } finally {
    await deployment.close();
  }
}

/** Where the environment cannot be read, nothing else can be looked at. */
function configOf(env: Env): Config | Finding[] {
  try {
    return readConfig(env);
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    return cause.faults.map((what) => fault(what, 'Set it as it says; README.md has the table of variables.'));
  }
}

async function bounded(check: Check, patient: Patient): Promise<Report[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding[]>((resolve) => {
    const said = fault(`there is no answer in ${LONGEST_MS / 1_000} s`, check.mend);
    timer = setTimeout(() => resolve([said]), LONGEST_MS);
  });
  const looked = look(check, patient).catch((cause: unknown) => [
    fault(withoutSecrets(errorMessage(cause)), check.mend),
  ]);
  const findings = await Promise.race([looked, late]);
  clearTimeout(timer);
  return findings.map((finding) => ({ check: check.name, ...finding }));
}

async function look(check: Check, patient: Patient): Promise<readonly Finding[]> {
  if (check.needsDatabase === true && !(await patient.deployment.opens()))
    return [note('not looked at, since the database cannot be opened')];
  return check.run(patient);
}
