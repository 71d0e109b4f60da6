import type { NodeType } from './contract';

/** Node types by name. Names come from users' documents, so both tables are Maps. */
export interface NodeRegistry {
  /** By canonical name. */
  readonly types: ReadonlyMap<string, NodeType>;
  /** Alias to canonical name. */
  readonly aliases: ReadonlyMap<string, string>;
}

/** Throws when two node types claim a name: a document must mean one thing. */
export function createRegistry(list: readonly NodeType[]): NodeRegistry {
  const types = new Map<string, NodeType>();
  const aliases = new Map<string, string>();
  const claim = (name: string): void => {
    if (types.has(name) || aliases.has(name)) throw new Error(`two node types are called ${name}`);
  };
  for (const node of list) {
    claim(node.type);
    types.set(node.type, node);
    for (const alias of node.aliases ?? []) {
      claim(alias);
      aliases.set(alias, node.type);
    }
  }
  return { types, aliases };
}
