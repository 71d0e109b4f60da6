import type { NodeTypeInfo, NodeTypes } from '../../dsl';
import type { Clock } from '../../lib/clock';
import { stringifyJsonSliced } from '../../lib/json/stringify-sliced';
import { ReadThrough } from '../../lib/read-through';
import { mapSliced } from '../../lib/time-slices';
import { CACHE_MAX_AGE_MS } from '../../mixins/invalidation';
import { nodes } from '../../nodes';
import type { NodeType } from '../../nodes/contract';
import type { CustomNode, CustomTypes } from '../../nodes/custom';
import type { ImportedSteps } from './imported';

const CACHED = 100;

/** What the language must know of a node type. */
const infoOf = ({ type, version, input, aliases, secrets, timeoutMs, check, effect }: NodeType): NodeTypeInfo => ({
  type,
  version,
  kind: 'work',
  inputSchema: input,
  aliases,
  secrets,
  timeoutMs,
  check,
  effect: typeof effect === 'function' ? effect : () => effect,
});

/** The built-in ones, which every DSL may name. */
export const nodeTypes: NodeTypes = new Map([...nodes.types.values()].map((node) => [node.type, infoOf(node)]));

const CUSTOM_TYPE = /"type":"(custom-[a-z][a-z0-9-]{0,49})"/g;

/** Types of steps, and of the tools of agents, in a document's text. Any member `type` counts: one too many does no harm. */
export const customTypesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(CUSTOM_TYPE)].map(([, type]) => type as string)),
];

/** A custom type without a definition: it is looked up again when a step of it runs. */
const unresolvedInfo = (type: string): NodeTypeInfo => ({
  type,
  kind: 'work',
  inputSchema: { type: 'object' },
  trigger: 'unresolved',
  check: () => [
    {
      kind: 'warning',
      path: '',
      message: `there is no custom node "${type}" yet; a step of it fails unless it is there when the step runs`,
    },
  ],
});

/** The node types that the DSL of a tenant may name: the built-in ones, its own, and those it has imported. */
export class TenantNodeTypes {
  readonly #known: ReadThrough<NodeTypes>;

  constructor(
    clock: Clock,
    private readonly types: CustomTypes,
    private readonly read: (tenantId: string) => Promise<readonly CustomNode[]>,
    private readonly imported: ImportedSteps,
  ) {
    this.#known = new ReadThrough({ max: CACHED, ttlMs: CACHE_MAX_AGE_MS, now: () => clock.now() });
  }

  /** With the actions of imported connectors, and the custom types that do not exist yet, which a document mentions. */
  async of(tenantId: string, document?: unknown): Promise<NodeTypes> {
    const text = (await stringifyJsonSliced(document)) ?? '';
    const [known, imported] = await Promise.all([this.#own(tenantId), this.imported.of(tenantId, text)]);
    const unresolved = customTypesIn(text).filter((type) => !known.has(type));
    if (imported.length === 0 && unresolved.length === 0) return known;
    return new Map([
      ...known,
      ...unresolved.map((type) => [type, unresolvedInfo(type)] as const),
      ...imported.map((node) => [node.type, infoOf(node)] as const),
    ]);
  }

  #own(tenantId: string): Promise<NodeTypes> {
    return this.#known.get(tenantId, async () => {
      const custom = await this.read(tenantId);
      if (custom.length === 0) return nodeTypes;
      return new Map([...nodeTypes, ...(await mapSliced(custom, tenantId, (node) => this.#entryOf(node)))]);
    });
  }

  forget(tenantId: string): void {
    this.#known.delete(tenantId);
  }

  #entryOf(node: CustomNode): [string, NodeTypeInfo] {
    const { type, authoring } = this.types.of(node);
    const trigger = node.kind === 'trigger' ? ({ trigger: 'polled' } as const) : {};
    return [node.type, { ...infoOf(type), inputSchema: authoring, ...trigger }];
  }
}
