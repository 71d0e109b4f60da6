import type { ConfigFinding } from '../../../dsl';
import { isObject, type JsonObject } from '../../../lib/json';
import { OTHER_KINDS, unfitType } from './tools/kinds';
import { knowledgeToolName } from './tools/knowledge-tool';

/** Members of a tool that only some kinds have. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  workflow: ['workflow', 'input_schema'],
  knowledge_base: ['knowledge_base', 'top_k', 'min_score', 'filter', 'rerank'],
  mcp: ['url', 'headers', 'allow'],
  node: ['config'],
};

/** Members that a kind of tool cannot do without. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  workflow: ['workflow', 'name'],
  knowledge_base: ['knowledge_base'],
  mcp: ['url'],
  node: [],
};

/**
 * Checks of an agent's configuration that the schema cannot express: unknown kinds of tools, members that do not belong to
 * a kind, duplicate names. `known` returns true for names of step types. Expressions are not checked.
 */
export function check(config: JsonObject, known: (type: string) => boolean): ConfigFinding[] {
  const { tools } = config;
  if (!Array.isArray(tools)) return [];
  const names = new Map<string, number>();
  return tools.flatMap((tool, index) => {
    if (!isObject(tool) || typeof tool.type !== 'string' || isExpression(tool.type)) return [];
    const path = `tools[${index}]`;
    return [...faultsOfKind(tool, tool.type, path, known), ...faultOfName(tool, tool.type, path, names)];
  });
}

function faultsOfKind(tool: JsonObject, type: string, path: string, known: (type: string) => boolean): ConfigFinding[] {
  const other = (OTHER_KINDS as readonly string[]).includes(type);
  const kind = other ? type : 'node';
  const unfit = other ? null : (unfitType(type) ?? (known(type) ? null : `there is no step type ${type}`));
  if (unfit !== null) {
    return [wrong(`${path}.type`, unfit, 'a step type, "workflow", "knowledge_base" or "mcp"')];
  }
  const foreign = Object.entries(MEMBERS)
    .filter(([owner]) => owner !== kind)
    .flatMap(([, members]) => members.filter((member) => Object.hasOwn(tool, member)));
  return [
    ...foreign.map((member) => wrong(`${path}.${member}`, `is not for tools of type ${type}`)),
    ...(NEEDED[kind] ?? [])
      .filter((member) => !Object.hasOwn(tool, member))
      .map((member) => wrong(`${path}.${member}`, 'is required')),
  ];
}

function faultOfName(tool: JsonObject, type: string, path: string, names: Map<string, number>): ConfigFinding[] {
  const { name = type === 'knowledge_base' ? nameOfBase(tool.knowledge_base) : type } = tool;
  // The server's name prefixes those of its tools, which are not known yet.
  if (type === 'mcp' || typeof name !== 'string' || isExpression(name)) return [];
  const count = (names.get(name) ?? 0) + 1;
  names.set(name, count);
  return count === 1 ? [] : [wrong(`${path}.name`, `another tool is called ${name}`, 'give one of them a "name"')];
}

const nameOfBase = (base: unknown): string => knowledgeToolName(typeof base === 'string' ? base : '');

const wrong = (path: string, message: string, hint?: string): ConfigFinding => ({ kind: 'error', path, message, hint });

const isExpression = (text: string): boolean => text.includes('{{');
