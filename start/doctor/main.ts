import { parseArgs } from 'node:util';
import { fatal } from '../error-text';
import { SEVERITIES, type Severity, worstOf } from './finding';
import { examine, type Report } from './run';

const USAGE = 'usage: npm run doctor -- [--json]';
const WIDTH = 15;

/** `npm run doctor`: checks the configuration of this environment and suggests fixes. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
  const reports = await examine(process.env);
  const worst = worstOf(reports);
  const text = values.json ? `${JSON.stringify({ worst, findings: reports })}\n` : textOf(reports);
  // A check that timed out may still hold a connection, which must not delay the exit.
  process.stdout.write(text, () => process.exit(worst === 'fault' ? 1 : 0));
}

function textOf(reports: readonly Report[]): string {
  const lines = reports.flatMap(({ severity, check, what, mend }) => [
    `${severity.padEnd(9)}${check.padEnd(WIDTH)}${what}`,
    ...(mend === undefined ? [] : [`${' '.repeat(9 + WIDTH)}-> ${mend}`]),
  ]);
  const count = (severity: Severity): string =>
    `${reports.filter((each) => each.severity === severity).length} ${severity}`;
  return `${lines.join('\n')}\n\n${SEVERITIES.map(count).join(', ')}\n`;
}

main().catch((cause: unknown) =>
  fatal((cause as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS') === true ? USAGE : cause),
);
