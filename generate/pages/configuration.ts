import { SERVICE_NAMES } from '../../lib/config';
import { VARIABLES, type VariableGroup } from '../../lib/config-variables';
import { code, GENERATED_NOTICE, table } from './markdown';

const ABOUT = `# Configuration

Settings come from environment variables, read once at the start. A process with an unusable value refuses to start and reports every fault with what is
allowed. None is needed for a single process. \`npm run doctor\` checks all of them without starting the service: [the doctor](operations.md#the-doctor).`;

const CONNECTORS = `## Connectors

\`CONNECTOR_<NAME>_URL\` replaces the address of the API of a [connector](connectors.md): \`CONNECTOR_SUITE_MAIL_URL\` for \`suite-mail\`.`;

/** The page about environment variables. */
export function configurationPage(): string {
  const [first, ...others] = VARIABLES.map(groupText);
  const services = `Services: ${SERVICE_NAMES.map(code).join(', ')}.`;
  return `${[ABOUT, GENERATED_NOTICE, first, services, ...others, CONNECTORS].join('\n\n')}\n`;
}

function groupText({ title, variables }: VariableGroup): string {
  const rows = variables.map(({ name, meaning, default: value }) => [
    code(name),
    meaning,
    value === null ? 'none' : code(value),
  ]);
  return `## ${title}\n\n${table(['variable', 'meaning', 'default'], rows)}`;
}
