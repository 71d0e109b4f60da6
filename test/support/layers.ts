import type { Import } from './imports';

/** Folders and files that make up the product. */
export const PRODUCT = [
  'lib',
  'dsl',
  'nodes',
  'runtime',
  'mixins',
  'services',
  'embedded',
  'start',
  'cli',
  'bench',
  'generate',
  'clients',
  'moleculer.config.ts',
] as const;

/** What a room may import beside itself. A folder stands for all that is in it; `types` are for imports that compile away. */
interface Law {
  readonly imports: readonly string[];
  readonly types?: readonly RegExp[];
}

const LAWS: Readonly<Record<string, Law>> = {
  lib: { imports: [] },
  dsl: { imports: ['lib'] },
  'nodes/contract': { imports: ['lib', 'dsl'] },
  nodes: { imports: ['lib', 'dsl'] },
  runtime: { imports: ['lib', 'dsl', 'nodes/contract'] },
  mixins: { imports: ['lib'], types: [/^services\/(app|catalogue|[\w-]+\/contract)$/] },
  services: { imports: ['lib', 'dsl', 'nodes', 'runtime', 'mixins'] },
  embedded: { imports: ['lib'] },
  'moleculer.config': { imports: ['lib', 'mixins', 'services/catalogue'] },
  start: { imports: ['lib', 'mixins', 'services', 'embedded', 'moleculer.config'] },
  // Loaded for each command: without services, and what they weigh.
  cli: { imports: ['lib', 'start/version'] },
  bench: { imports: ['lib', 'dsl', 'runtime', 'services/knowledge', 'embedded', 'start'] },
  clients: { imports: [] },
  generate: { imports: ['lib', 'dsl', 'nodes', 'mixins', 'services', 'start'] },
};

/** Packages that only some rooms may know. */
const PACKAGES: Readonly<Record<string, RegExp>> = {
  moleculer: /^(services|mixins|start)\/|^lib\/errors$|^moleculer\.config$/,
  'moleculer-web': /^services\/api-gateway\//,
  '@photostructure/sqlite': /^embedded\/store\//,
  '@fastify/busboy': /^services\/api-gateway\/http\/multipart$/,
  mongoose: /^(services|mixins|start|generate)\/|^moleculer\.config$/,
  nats: /^mixins\/bus\//,
  ioredis: /^mixins\/redis\//,
  '@qdrant/js-client-rest': /^services\/knowledge\/vectors\/qdrant\//,
  unpdf: /^services\/knowledge\/parsing\//,
  stripe: /^services\/billing\/(?:provider|signature)$/,
  '@ai-sdk/openai': /^lib\/llm\//,
  '@ai-sdk/anthropic': /^lib\/llm\//,
  '@ai-sdk/google': /^lib\/llm\//,
  '@ai-sdk/openai-compatible': /^lib\/llm\//,
  '@ai-sdk/provider': /^lib\/llm\//,
  '@modelcontextprotocol/client': /^nodes\/ai\//,
};

/** Why the import breaks a law of the layers; null when it does not. Paths without extension. */
export function layerFault(file: string, { target, isPackage, typeOnly }: Import): string | null {
  const from = file.replace(/\.ts$/, '');
  if (isPackage) {
    const known = PACKAGES[target];
    return known === undefined || known.test(from) ? null : `${file} must not know the package ${target}`;
  }
  if (target.startsWith('..')) return `${file} reaches outside of the project: ${target}`;
  const room = roomOf(from);
  const law = LAWS[room];
  if (law === undefined) return `${file} stands in no known room`;
  const inside = roomOf(target) === room || (room === 'nodes' && roomOf(target) === 'nodes/contract');
  const allowed =
    (inside && !crossesServices(from, target)) ||
    law.imports.some((place) => target === place || target.startsWith(`${place}/`)) ||
    (typeOnly && (law.types ?? []).some((pattern) => pattern.test(target)));
  return allowed ? null : `${file} must not import ${target}`;
}

function roomOf(path: string): string {
  if (path === 'nodes/contract' || path.startsWith('nodes/contract/')) return 'nodes/contract';
  return path.split('/')[0] as string;
}

/** Services reach each other through the broker; of another's folder they see the contract alone. */
function crossesServices(from: string, target: string): boolean {
  const [room, service, file] = target.split('/');
  if (room !== 'services' || file === undefined) return false;
  return from.split('/')[1] !== service && file !== 'contract';
}
