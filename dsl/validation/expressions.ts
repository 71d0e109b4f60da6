import type { Json } from '../../lib/json';
import { hasExpression, splitInterpolation } from '../interpolation';
import { SECRET_PATTERN } from '../document';
import { ROOTS } from '../expression/evaluation-context';
import { ExpressionError } from '../expression/error';
import { arityMessage } from '../expression/evaluate';
import { FUNCTIONS } from '../expression/functions';
import { parsed } from '../expression/parsed';
import { type FunctionUse, type RootUse, usesOf } from '../refs';
import { didYouMean } from '../suggest';
import { type Hint, type Issues, memberPath } from './issues';
import { isWithin, loopsOf, type DocumentIndex, type StepNode } from './document-index';
import { DOCUMENT_ON_ERROR } from '../step-path';
import { unreachableFrom, unreachableFromOutput } from './reachability';
import { operatorHint } from '../known-words';

const EXECUTION_KEYS = ['id', 'workflow_id', 'started_at', 'attempt'];
const ERROR_KEYS = ['step_id', 'type', 'code', 'message'];
/** Lists whose steps may handle an error. */
const WITH_ERROR: ReadonlySet<string> = new Set(['catch', 'finally', 'on_error', 'compensate', DOCUMENT_ON_ERROR]);

/** The scope of expressions: where they are, and what they may use. */
export interface ExpressionScope {
  readonly documentIndex: DocumentIndex;
  /** The step they belong to; null for the output of the run, which can use every step. */
  readonly node: StepNode | null;
  /** Why secrets are not allowed here; null where they are. */
  readonly noSecrets: string | null;
  readonly secretNames: ReadonlySet<string> | undefined;
  /** Absent: unknown, and not checked. */
  readonly variableNames?: ReadonlySet<string>;
  /** Evaluated before the run begins: data of the run is not available. */
  readonly atStart?: true;
  /** The only available names; absent: all that the step, or the output of the run, can use. */
  readonly only?: { readonly roots: readonly string[]; readonly reason: string };
  /** The condition of a while, which sees outputs of the last iteration. */
  readonly whileCondition?: true;
  /** Inside a custom node: the names of its fields. The available steps depend on the workflow. */
  readonly fields?: ReadonlySet<string>;
  /** Inside a polled custom node: there is no run yet, but a cursor. */
  readonly polled?: true;
}

/** Checks every expression in a JSON value that stands at `path`. */
export function checkExpressions(json: Json, path: string, scope: ExpressionScope, issues: Issues): void {
  if (typeof json === 'string') {
    checkText(json, path, scope, issues);
  } else if (Array.isArray(json)) {
    for (const [index, item] of json.entries()) checkExpressions(item, memberPath(path, index), scope, issues);
  } else if (json !== null && typeof json === 'object') {
    for (const key of Object.keys(json)) {
      const here = memberPath(path, key);
      if (hasExpression(key)) issues.warn(here, 'expressions in keys are not read', 'put it into the value');
      checkExpressions(json[key] as Json, here, scope, issues);
    }
  }
}

function checkText(text: string, path: string, scope: ExpressionScope, issues: Issues): void {
  if (!hasExpression(text)) return;
  attempt(path, issues, () => {
    for (const piece of splitInterpolation(text)) {
      if (piece.kind === 'expression') attempt(path, issues, () => checkExpression(piece.source, path, scope, issues));
    }
  });
}

/** Runs a check, and reports an expression that cannot be read. */
function attempt(path: string, issues: Issues, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    issues.error(path, `${error.message} (character ${error.position + 1} of ${quote(error.source)})`);
  }
}

const quote = (source: string): string => `\`${source.length > 60 ? `${source.slice(0, 60)}…` : source}\``;

function checkExpression(source: string, path: string, scope: ExpressionScope, issues: Issues): void {
  const { roots, functions } = usesOf(parsed(source));
  const report = (finding: Finding | null, position: number): void => {
    if (finding === null) return;
    const message = `${finding.message} (character ${position + 1} of ${quote(source)})`;
    if (finding.kind === 'error') issues.error(path, message, finding.hint);
    else issues.warn(path, message, finding.hint);
  };
  for (const use of functions) report(functionFinding(use, scope), use.position);
  for (const use of roots) report(rootFinding(use, scope), use.position);
}

const START_HINT = 'use trigger, env, vars or execution.workflow_id';
const LATER_ROOTS: ReadonlySet<string> = new Set(['steps', 'loop', 'error', 'execution']);

const knownAtStart = ({ root, member }: RootUse): boolean =>
  !LATER_ROOTS.has(root) || (root === 'execution' && member === 'workflow_id');

interface Finding {
  readonly kind: 'error' | 'warning';
  readonly message: string;
  readonly hint?: Hint;
}

const wrong = (message: string, hint?: Hint): Finding => ({ kind: 'error', message, hint });
const warning = (message: string, hint?: Hint): Finding => ({ kind: 'warning', message, hint });

function functionFinding({ name, texts }: FunctionUse, scope: ExpressionScope): Finding | null {
  const spec = FUNCTIONS.get(name);
  if (spec === undefined)
    return wrong(`unknown function ${name}`, () => operatorHint(name) ?? didYouMean(name, FUNCTIONS.keys()));
  if (texts.length < spec.min || texts.length > spec.max) return wrong(arityMessage(name, texts.length));
  const linked = LINKED.get(name);
  if (linked === undefined) return null;
  if (scope.atStart === true) return wrong(`there is no ${linked.what} before the run begins`);
  if (scope.fields !== undefined) return wrong(`a custom node knows no ${linked.what}s`);
  const [stepId] = texts;
  return typeof stepId === 'string' ? linkFinding(stepId, linked, scope) : null;
}

interface Linked {
  readonly type: string;
  readonly what: string;
}

/** The functions that link to a step. */
const LINKED: ReadonlyMap<string, Linked> = new Map([
  ['approval_link', { type: 'approval', what: 'approval' }],
  ['form_link', { type: 'wait_for_form', what: 'form' }],
]);

/** A step in a loop has one link per iteration, so outside the loop its link is ambiguous. */
function linkFinding(id: string, { type, what }: Linked, scope: ExpressionScope): Finding | null {
  const { documentIndex } = scope;
  const target = documentIndex.byId.get(id);
  if (target === undefined) return unknownStep(id, documentIndex);
  const around = loopsAround(scope);
  const outer = loopsOf(target).find((loop) => !around.includes(loop));
  if (outer !== undefined)
    return wrong(`the step ${id} is inside the loop ${outer.id}, where each turn has its own link`);
  return target.step.type === type ? null : warning(`the step ${id} is no ${what}`);
}

function rootFinding(use: RootUse, scope: ExpressionScope): Finding | null {
  const { root, member } = use;
  if (scope.fields !== undefined) return rootInCustomNode(use, scope, scope.fields);
  if (scope.atStart === true && !knownAtStart(use)) {
    return wrong(`${member === null ? root : `${root}.${member}`} is not known before the run begins`, START_HINT);
  }
  if (scope.only !== undefined && !scope.only.roots.includes(root)) return wrong(scope.only.reason);
  switch (root) {
    case 'steps':
      return member === null ? null : stepFinding(member, scope);
    case 'secret':
      return secretFinding(use, scope);
    case 'vars':
      return member === null ? null : variableFinding(member, scope);
    case 'config':
      return wrong('config is there only inside custom nodes');
    case 'cursor':
      return wrong('cursor is there only inside custom nodes of the kind trigger');
    case 'error':
      if (scope.node === null || !isWithin(scope.node, WITH_ERROR)) {
        return wrong('error is there only in steps that handle an error', ERROR_HINT);
      }
      return memberFinding(root, member, ERROR_KEYS);
    case 'loop':
      return loopFinding(use.members, loopsAround(scope));
    case 'execution':
      return memberFinding(root, member, EXECUTION_KEYS);
    default:
      return (ROOTS as readonly string[]).includes(root) ? null : unknownName(root, scope.documentIndex);
  }
}

const CUSTOM_NODE_ROOTS = ['config', 'secret', 'steps', 'trigger', 'loop'];
const POLLED_NODE_ROOTS = ['config', 'secret', 'cursor'];

function rootInCustomNode(use: RootUse, scope: ExpressionScope, fields: ReadonlySet<string>): Finding | null {
  const { root, member } = use;
  const known = (names: Iterable<string>): string => `known are ${[...names].join(', ')}`;
  if (root === 'secret') return secretFinding(use, scope);
  const polled = scope.polled === true;
  const roots = polled ? POLLED_NODE_ROOTS : CUSTOM_NODE_ROOTS;
  if (!roots.includes(root)) {
    const hint = (): string => didYouMean(root, roots) ?? known(roots);
    return wrong(`${root} is not there inside a custom node${polled ? ' of the kind trigger' : ''}`, hint);
  }
  if (root !== 'config' || member === null || fields.has(member)) return null;
  return wrong(`there is no config field ${member}`, () => didYouMean(member, fields) ?? known(fields));
}

const ERROR_HINT = 'it is in catch, finally, on_error and compensate';

const memberFinding = (root: string, member: string | null, known: readonly string[]): Finding | null =>
  member === null || known.includes(member)
    ? null
    : warning(`${root} has no ${member}`, () => didYouMean(member, known) ?? known.join(', '));

/** The loops around an expression, innermost first. The condition of a while counts as inside its loop. */
const loopsAround = ({ node, whileCondition }: ExpressionScope): StepNode[] =>
  node === null ? [] : [...(whileCondition === true ? [node] : []), ...loopsOf(node)];

/** Follows `loop.parent.parent.item` from the innermost loop outwards. */
function loopFinding(members: readonly (string | null)[], loops: readonly StepNode[]): Finding | null {
  if (loops.length === 0) return wrong('loop is there only inside foreach and while');
  const outwards = members.findIndex((member) => member !== 'parent');
  const depth = outwards === -1 ? members.length : outwards;
  const loop = loops[depth];
  if (loop === undefined) {
    return wrong('loop.parent is there only in a loop inside a loop', `loops around this step: ${loops.length}`);
  }
  const member = members[depth] ?? null;
  if (member === 'item' && loop.control === 'while') return wrong('a while has no items', 'its turns have loop.index');
  return memberFinding('loop', member, loop.control === 'while' ? ['index', 'parent'] : ['item', 'index', 'parent']);
}

function unknownName(name: string, { byId }: DocumentIndex): Finding {
  if (byId.has(name)) return wrong(`unknown name ${name}`, `for the step of that id write steps.${name}`);
  return wrong(`unknown name ${name}`, () => didYouMean(name, ROOTS) ?? `known are ${ROOTS.join(', ')}`);
}

function stepFinding(id: string, { documentIndex, node, whileCondition }: ExpressionScope): Finding | null {
  const target = documentIndex.byId.get(id);
  if (target === undefined) return unknownStep(id, documentIndex);
  const found = node === null ? unreachableFromOutput(target) : unreachableFrom(node, target, whileCondition);
  return found === null ? null : wrong(`the step ${id} ${found.reason}`, found.hint);
}

const unknownStep = (id: string, { byId }: DocumentIndex): Finding | null =>
  byId.has(id) ? null : wrong(`no step has the id ${id}`, () => didYouMean(id, byId.keys()));

function secretFinding({ member }: RootUse, { noSecrets, secretNames }: ExpressionScope): Finding | null {
  if (noSecrets !== null) return wrong(noSecrets, 'use secrets in the config of steps that need them');
  if (member === null) return wrong('a secret is used by its name', 'write secret.NAME');
  if (!SECRET_PATTERN.test(member)) return wrong(`${member} cannot be the name of a secret`);
  if (secretNames === undefined || secretNames.has(member)) return null;
  return warning(`there is no secret ${member} yet`, () => didYouMean(member, secretNames) ?? 'add it before running');
}

function variableFinding(name: string, { variableNames }: ExpressionScope): Finding | null {
  if (variableNames === undefined || variableNames.has(name)) return null;
  return warning(`there is no variable ${name} yet`, () => didYouMean(name, variableNames) ?? 'add it before running');
}
