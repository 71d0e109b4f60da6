import type { NodeType } from './contract';

/** Node types by name. Names come from users' documents, so both tables are Maps. */
interface NodeRegistry {
  /** By canonical name. */
  readonly types: ReadonlyMap<string, NodeType>;
  /** Alias to canonical name. */
  readonly aliases: ReadonlyMap<string, string>;
}

/** Throws when a name or alias is used twice: the type of a step must be unambiguous. */
export function createRegistry(list: readonly NodeType[]): NodeRegistry {
  const types = new Map<string, NodeType>();
  const aliases = new Map<string, string>();
  const claim = (name: string): void => {
    if (types.has(name) || aliases.has(name)) throw new Error(`Two node types have the name or alias "${name}"`);
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
