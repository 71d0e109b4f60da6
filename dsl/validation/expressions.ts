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
import { cannotHaveRun, type Outline, type Site } from './outline';

const EXECUTION_KEYS = ['id', 'workflow_id', 'started_at', 'attempt'];
const LOOPS: ReadonlySet<unknown> = new Set(['foreach', 'while']);

/** Where expressions stand, and so what they may use. */
export interface Place {
  readonly outline: Outline;
  /** The step they belong to; null for the output of the run, which sees every step. */
  readonly site: Site | null;
  /** Why secrets are refused here; null where they are allowed. */
  readonly noSecrets: string | null;
  readonly secretNames: ReadonlySet<string> | undefined;
  /** Evaluated before the run begins: nothing is there that belongs to it. */
  readonly atStart?: true;
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

function functionFinding({ name, texts }: FunctionUse, { outline, atStart }: Place): Finding | null {
  const spec = FUNCTIONS.get(name);
  if (spec === undefined) return wrong(`unknown function ${name}`, () => didYouMean(name, FUNCTIONS.keys()));
  if (texts.length < spec.min || texts.length > spec.max) return wrong(arityMessage(name, texts.length));
  if (atStart === true && name === 'approval_link') return wrong('there is no approval before the run begins');
  const [stepId] = texts;
  if (name === 'approval_link' && typeof stepId === 'string') return unknownStep(stepId, outline);
  return null;
}

function rootFinding(use: RootUse, place: Place): Finding | null {
  const { root, member } = use;
  if (place.atStart === true && !knownAtStart(use)) {
    return wrong(`${member === null ? root : `${root}.${member}`} is not known before the run begins`, START_HINT);
  }
  switch (root) {
    case 'steps':
      return member === null ? null : stepFinding(member, place);
    case 'secret':
      return secretFinding(use, place);
    case 'config':
      return wrong('config is there only inside custom nodes');
    case 'error':
      return wrong('error is there only in steps that handle an error');
    case 'loop':
      return insideLoop(place.site) ? null : wrong('loop is there only inside foreach and while');
    case 'execution':
      if (member === null || EXECUTION_KEYS.includes(member)) return null;
      return doubtful(
        `execution has no ${member}`,
        () => didYouMean(member, EXECUTION_KEYS) ?? EXECUTION_KEYS.join(', '),
      );
    default:
      return (ROOTS as readonly string[]).includes(root) ? null : unknownName(root, place.outline);
  }
}

function unknownName(name: string, { byId }: Outline): Finding {
  if (byId.has(name)) return wrong(`unknown name ${name}`, `for the step of that id write steps.${name}`);
  return wrong(`unknown name ${name}`, () => didYouMean(name, ROOTS) ?? `known are ${ROOTS.join(', ')}`);
}

function stepFinding(id: string, { outline, site }: Place): Finding | null {
  const target = outline.byId.get(id);
  if (target === undefined) return unknownStep(id, outline);
  const reason = site === null ? null : cannotHaveRun(target, site);
  return reason === null ? null : wrong(`the step ${id} ${reason}`, 'use steps that come before');
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

const insideLoop = (site: Site | null): boolean =>
  site !== null && site.holder !== null && (LOOPS.has(site.holder.site.step.type) || insideLoop(site.holder.site));
