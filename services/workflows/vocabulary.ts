import type { NodeTypeInfo, NodeTypes } from '../../dsl';
import type { Clock } from '../../lib/clock';
import { ReadThrough } from '../../lib/read-through';
import { nodes } from '../../nodes';
import type { NodeType } from '../../nodes/contract';
import type { CustomNode, CustomTypes } from '../../nodes/custom';
import type { ImportedSteps } from './imported';

/** How long others see an old definition when the hint about a change was lost. */
const TTL_MS = 1_000;
const CACHED = 100;

/** What the language must know of a node type. */
const infoOf = ({ type, version, input, aliases, secrets, timeoutMs, check }: NodeType): NodeTypeInfo => ({
  type,
  version,
  kind: 'work',
  inputSchema: input,
  aliases,
  secrets,
  timeoutMs,
  check,
});

/** The built-in ones, which every DSL may name. */
export const nodeTypes: NodeTypes = new Map([...nodes.types.values()].map((node) => [node.type, infoOf(node)]));

/** The node types that the DSL of a tenant may name: the built-in ones, its own, and those it has imported. */
export class Vocabulary {
  readonly #known: ReadThrough<NodeTypes>;

  constructor(
    clock: Clock,
    private readonly types: CustomTypes,
    private readonly read: (tenantId: string) => Promise<readonly CustomNode[]>,
    private readonly imported: ImportedSteps,
  ) {
    this.#known = new ReadThrough({ max: CACHED, ttlMs: TTL_MS, now: () => clock.now() });
  }

  /** With the actions of imported connectors that a document mentions. */
  async of(tenantId: string, document?: unknown): Promise<NodeTypes> {
    const [known, imported] = await Promise.all([this.#own(tenantId), this.imported.of(tenantId, document)]);
    return imported.length === 0
      ? known
      : new Map([...known, ...imported.map((node) => [node.type, infoOf(node)] as const)]);
  }

  #own(tenantId: string): Promise<NodeTypes> {
    return this.#known.get(tenantId, async () => {
      const custom = await this.read(tenantId);
      return custom.length === 0 ? nodeTypes : new Map([...nodeTypes, ...custom.map((node) => this.#entryOf(node))]);
    });
  }

  forget(tenantId: string): void {
    this.#known.delete(tenantId);
  }

  #entryOf(node: CustomNode): [string, NodeTypeInfo] {
    const { type, authoring } = this.types.of(node);
    return [node.type, { ...infoOf(type), inputSchema: authoring }];
  }
}
