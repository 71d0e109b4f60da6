import type { Json } from '../../lib/json';
import { holdsExpression, splitBraces } from '../braces';
import { SECRET_PATTERN } from '../document';
import { ROOTS } from '../expression/env';
import { ExpressionError } from '../expression/error';
import { arityMessage } from '../expression/evaluate';
import { FUNCTIONS } from '../expression/functions';
import { parse } from '../expression/parser';
import { type FunctionUse, type RootUse, usesOf } from '../refs';
import { didYouMean } from '../suggest';
import { type Hint, type Issues, memberPath } from './issues';
import { isWithin, loopsOf, type Outline, type Site } from './outline';
import { DOCUMENT_ON_ERROR } from '../place';
import { hiddenFrom, hiddenFromOutput } from './visible';

const EXECUTION_KEYS = ['id', 'workflow_id', 'started_at', 'attempt'];
const ERROR_KEYS = ['step_id', 'type', 'code', 'message'];
/** Lists whose steps handle an error, or may. */
const WITH_ERROR: ReadonlySet<string> = new Set(['catch', 'finally', 'on_error', 'compensate', DOCUMENT_ON_ERROR]);

/** Where expressions stand, and so what they may use. */
export interface Place {
  readonly outline: Outline;
  /** The step they belong to; null for the output of the run, which sees every step. */
  readonly site: Site | null;
  /** Why secrets are refused here; null where they are allowed. */
  readonly noSecrets: string | null;
  readonly secretNames: ReadonlySet<string> | undefined;
  /** Absent: not known, and so not checked. */
  readonly variableNames?: ReadonlySet<string>;
  /** Evaluated before the run begins: nothing is there that belongs to it. */
  readonly atStart?: true;
  /** The only names that are known here; absent: all that are there for the step, or at the end of the run. */
  readonly only?: { readonly roots: readonly string[]; readonly reason: string };
  /** The condition of a while, which sees what the last turn has done. */
  readonly turn?: true;
  /** Inside a custom node: the names of its fields. Its steps are those of whatever workflow uses it. */
  readonly fields?: ReadonlySet<string>;
}

/** Checks every expression in a JSON value that stands at `path`. */
export function checkExpressions(json: Json, path: string, place: Place, issues: Issues): void {
  if (typeof json === 'string') {
    checkText(json, path, place, issues);
  } else if (Array.isArray(json)) {
    for (const [index, item] of json.entries()) checkExpressions(item, memberPath(path, index), place, issues);
  } else if (json !== null && typeof json === 'object') {
    for (const key of Object.keys(json)) {
      const here = memberPath(path, key);
      if (holdsExpression(key)) issues.warn(here, 'expressions in keys are not read', 'put it into the value');
      checkExpressions(json[key] as Json, here, place, issues);
    }
  }
}

function checkText(text: string, path: string, place: Place, issues: Issues): void {
  if (!holdsExpression(text)) return;
  attempt(path, issues, () => {
    for (const piece of splitBraces(text)) {
      if (piece.kind === 'expression') attempt(path, issues, () => checkExpression(piece.source, path, place, issues));
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

function checkExpression(source: string, path: string, place: Place, issues: Issues): void {
  const { roots, functions } = usesOf(parse(source));
  const report = (finding: Finding | null, position: number): void => {
    if (finding === null) return;
    const message = `${finding.message} (character ${position + 1} of ${quote(source)})`;
    if (finding.kind === 'error') issues.error(path, message, finding.hint);
    else issues.warn(path, message, finding.hint);
  };
  for (const use of functions) report(functionFinding(use, place), use.position);
  for (const use of roots) report(rootFinding(use, place), use.position);
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
const doubtful = (message: string, hint?: Hint): Finding => ({ kind: 'warning', message, hint });

function functionFinding({ name, texts }: FunctionUse, place: Place): Finding | null {
  const spec = FUNCTIONS.get(name);
  if (spec === undefined) return wrong(`unknown function ${name}`, () => didYouMean(name, FUNCTIONS.keys()));
  if (texts.length < spec.min || texts.length > spec.max) return wrong(arityMessage(name, texts.length));
  if (name !== 'approval_link') return null;
  if (place.atStart === true) return wrong('there is no approval before the run begins');
  if (place.fields !== undefined) return wrong('a custom node knows no approvals');
  const [stepId] = texts;
  return typeof stepId === 'string' ? approvalFinding(stepId, place) : null;
}

/** A step in a loop is one step a turn, so outside of the loop nothing says whose link is meant. */
function approvalFinding(id: string, place: Place): Finding | null {
  const { outline } = place;
  const target = outline.byId.get(id);
  if (target === undefined) return unknownStep(id, outline);
  const around = loopsAround(place);
  const outer = loopsOf(target).find((loop) => !around.includes(loop));
  if (outer !== undefined)
    return wrong(`the step ${id} is inside the loop ${outer.id}, where each turn has its own link`);
  return target.step.type === 'approval' ? null : doubtful(`the step ${id} is no approval`);
}

function rootFinding(use: RootUse, place: Place): Finding | null {
  const { root, member } = use;
  if (place.fields !== undefined) return rootInCustomNode(use, place, place.fields);
  if (place.atStart === true && !knownAtStart(use)) {
    return wrong(`${member === null ? root : `${root}.${member}`} is not known before the run begins`, START_HINT);
  }
  if (place.only !== undefined && !place.only.roots.includes(root)) return wrong(place.only.reason);
  switch (root) {
    case 'steps':
      return member === null ? null : stepFinding(member, place);
    case 'secret':
      return secretFinding(use, place);
    case 'vars':
      return member === null ? null : variableFinding(member, place);
    case 'config':
      return wrong('config is there only inside custom nodes');
    case 'error':
      if (place.site === null || !isWithin(place.site, WITH_ERROR)) {
        return wrong('error is there only in steps that handle an error', ERROR_HINT);
      }
      return memberFinding(root, member, ERROR_KEYS);
    case 'loop':
      return loopFinding(use.members, loopsAround(place));
    case 'execution':
      return memberFinding(root, member, EXECUTION_KEYS);
    default:
      return (ROOTS as readonly string[]).includes(root) ? null : unknownName(root, place.outline);
  }
}

const CUSTOM_NODE_ROOTS = ['config', 'secret', 'steps', 'trigger', 'loop'];

function rootInCustomNode(use: RootUse, place: Place, fields: ReadonlySet<string>): Finding | null {
  const { root, member } = use;
  const known = (names: Iterable<string>): string => `known are ${[...names].join(', ')}`;
  if (root === 'secret') return secretFinding(use, place);
  if (!CUSTOM_NODE_ROOTS.includes(root)) {
    const hint = (): string => didYouMean(root, CUSTOM_NODE_ROOTS) ?? known(CUSTOM_NODE_ROOTS);
    return wrong(`${root} is not there inside a custom node`, hint);
  }
  if (root !== 'config' || member === null || fields.has(member)) return null;
  return wrong(`there is no config field ${member}`, () => didYouMean(member, fields) ?? known(fields));
}

const ERROR_HINT = 'it is in catch, finally, on_error and compensate';

const memberFinding = (root: string, member: string | null, known: readonly string[]): Finding | null =>
  member === null || known.includes(member)
    ? null
    : doubtful(`${root} has no ${member}`, () => didYouMean(member, known) ?? known.join(', '));

/** The loops around an expression, from the innermost. The condition of a while is asked as if its turn had begun. */
const loopsAround = ({ site, turn }: Place): Site[] =>
  site === null ? [] : [...(turn === true ? [site] : []), ...loopsOf(site)];

/** Follows `loop.parent.parent.item` from the innermost loop outwards. */
function loopFinding(members: readonly (string | null)[], loops: readonly Site[]): Finding | null {
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

function unknownName(name: string, { byId }: Outline): Finding {
  if (byId.has(name)) return wrong(`unknown name ${name}`, `for the step of that id write steps.${name}`);
  return wrong(`unknown name ${name}`, () => didYouMean(name, ROOTS) ?? `known are ${ROOTS.join(', ')}`);
}

function stepFinding(id: string, { outline, site, turn }: Place): Finding | null {
  const target = outline.byId.get(id);
  if (target === undefined) return unknownStep(id, outline);
  const found = site === null ? hiddenFromOutput(target) : hiddenFrom(site, target, turn);
  return found === null ? null : wrong(`the step ${id} ${found.reason}`, found.hint);
}

const unknownStep = (id: string, { byId }: Outline): Finding | null =>
  byId.has(id) ? null : wrong(`no step has the id ${id}`, () => didYouMean(id, byId.keys()));

function secretFinding({ member }: RootUse, { noSecrets, secretNames }: Place): Finding | null {
  if (noSecrets !== null) return wrong(noSecrets, 'use secrets in the config of steps that need them');
  if (member === null) return wrong('a secret is used by its name', 'write secret.NAME');
  if (!SECRET_PATTERN.test(member)) return wrong(`${member} cannot be the name of a secret`);
  if (secretNames === undefined || secretNames.has(member)) return null;
  return doubtful(`there is no secret ${member} yet`, () => didYouMean(member, secretNames) ?? 'add it before running');
}

function variableFinding(name: string, { variableNames }: Place): Finding | null {
  if (variableNames === undefined || variableNames.has(name)) return null;
  return doubtful(`there is no variable ${name} yet`, () => didYouMean(name, variableNames) ?? 'add it before running');
}
