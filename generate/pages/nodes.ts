import { nodes } from '../../nodes';
import type { JsonSchema, NodeType } from '../../nodes/contract';
import { anchor, code, GENERATED_NOTICE, memberRows, oneLine, table, words } from './markdown';

const ABOUT = `# Node reference

Every built-in step type: what it takes, what it gives, what it does to the world. Made of the manifests that check
configurations. How to use them, with examples: [nodes.md](../nodes.md), [data.md](../data.md), [systems.md](../systems.md),
[ai.md](../ai.md), [connectors.md](../connectors.md); steps that hold others: [language.md](language.md#steps-that-hold-others).

- *Effect*: \`pure\`: computes, and may be computed again; \`read\`: asks, and asking twice is harmless; \`write\`: changes something.
- *When its host dies* in the middle: \`retry\`: it is done again; \`fail\`: it fails; \`ask\`: a person decides.
- Every key takes [expressions](../expressions.md). A star marks what must be there.`;

/** The page about step types. */
export function nodesPage(): string {
  const categories = new Map<string, NodeType[]>();
  for (const node of nodes.types.values())
    categories.set(node.category, [...(categories.get(node.category) ?? []), node]);
  const contents = [...categories].map(([category, own]) => {
    const links = own.map(({ type }) => `[${type}](#${anchor(type)})`).join(', ');
    return `- **${category}**: ${links}`;
  });
  const sections = [...categories].map(([category, own]) => `## ${category}\n\n${own.map(nodeText).join('\n\n')}`);
  return `${[ABOUT, contents.join('\n'), GENERATED_NOTICE, ...sections].join('\n\n')}\n`;
}

function nodeText(node: NodeType): string {
  const { type, title, description, aliases = [], effect, onInterrupted, input, output, tool, connections } = node;
  const facts = [
    `*Effect*: ${typeof effect === 'function' ? 'as its config says' : code(effect)}`,
    `*when its host dies*: ${code(onInterrupted)}`,
    ...(aliases.length === 0 ? [] : [`*also*: ${aliases.map(code).join(', ')}`]),
    ...(connections === undefined ? [] : [`*connection*: ${connections.map(code).join(' or ')}`]),
    ...(tool === undefined ? [] : [`*tool of agents*: ${code(tool.name)}`]),
  ];
  return [
    `### ${type}`,
    `${title}. ${oneLine(description)}`,
    `${facts.join('; ')}.`,
    membersText('config', input),
    membersText('output', output),
  ].join('\n\n');
}

function membersText(title: string, schema: JsonSchema): string {
  const rows = memberRows(schema);
  if (rows.length > 0) return table([title, 'type', ''], rows);
  return `${title === 'config' ? 'Takes' : 'Gives'} ${schema.type === 'object' && schema.additionalProperties === false ? 'nothing' : words(schema)}.`;
}
