import type { NodeTypeRow } from '../../../clients/typescript/src/api.ts';

/** Node types by name and alias. */
export type NodeTypes = ReadonlyMap<string, NodeTypeRow>;

export const nodeTypesOf = (rows: readonly NodeTypeRow[]): NodeTypes =>
  new Map(rows.flatMap((row) => [row.type, ...row.aliases].map((name) => [name, row] as const)));

/** Categories that come first in the list of types; others follow by name. */
const FIRST = ['Control', 'Flow', 'HTTP', 'Data', 'Code', 'AI'];

interface TypeGroup {
  readonly category: string;
  readonly types: readonly NodeTypeRow[];
}

const MAX_FOUND = 60;

/** Types of steps that a search finds, best first; all by category without one. */
export function findTypes(types: NodeTypes, query: string): TypeGroup[] {
  const steps = [...new Set(types.values())].filter(({ kind }) => kind === 'control' || kind === 'work');
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    const groups = Map.groupBy(steps, ({ category }) => category as string);
    return [...groups]
      .map(([category, found]) => ({ category, types: found }))
      .sort((a, b) => rankOf(a.category) - rankOf(b.category) || a.category.localeCompare(b.category));
  }
  const found = steps
    .map((type) => ({ type, score: scoreOf(type, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.type.type.length - b.type.type.length)
    .slice(0, MAX_FOUND);
  return found.length === 0 ? [] : [{ category: 'Best matches', types: found.map(({ type }) => type) }];
}

const rankOf = (category: string): number => {
  const at = FIRST.indexOf(category);
  return at < 0 ? FIRST.length : at;
};

/** Every word has to be found; the name counts more than the title, and that more than the description. */
function scoreOf({ type, title, description, aliases, category }: NodeTypeRow, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    const names = [type, ...aliases].map((name) => name.toLowerCase());
    if (names.includes(word)) score += 100;
    else if (names.some((name) => name.startsWith(word))) score += 50;
    else if (title.toLowerCase().startsWith(word)) score += 40;
    else if (names.some((name) => name.includes(word)) || title.toLowerCase().includes(word)) score += 20;
    else if (category.toLowerCase().includes(word)) score += 6;
    else if (description.toLowerCase().includes(word)) score += 3;
    else return 0;
  }
  return score;
}
