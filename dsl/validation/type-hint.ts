import { CONNECTOR_WORDS, knownWordHint, STEP_WORDS } from '../known-words';
import { didYouMean, editDistance } from '../suggest';

const MAX_ACTIONS_IN_HINT = 20;
/** Longer connector names may differ in two letters, shorter ones in one. */
const LONG_NAME = 8;

/**
 * The probable meaning of an unknown step type: a name in another product, an action of the same connector, or a
 * misspelt connector. Never an action of another product.
 */
export function stepTypeHint(type: string, known: ReadonlySet<string>): string | undefined {
  const word = knownWordHint(type, STEP_WORDS, known);
  if (word !== undefined) return word;
  const dot = type.indexOf('.');
  const [name, action] = dot < 0 ? [type, null] : [type.slice(0, dot), type.slice(dot + 1)];
  const connectors = new Set(
    [...known].flatMap((each) => (each.includes('.') ? [each.slice(0, each.indexOf('.'))] : [])),
  );
  const connector = connectorMeant(name, connectors);
  if (connector !== null) return actionHint(connector, action, known);
  const meant = CONNECTOR_WORDS.get(plain(name));
  if (meant !== undefined && known.has(meant)) return `write "${meant}"`;
  if (action === null)
    return didYouMean(
      type,
      [...known].filter((each) => !each.includes('.')),
    );
  return known.has('http_request') ? 'there is no such connector; http_request calls any API' : undefined;
}

function connectorMeant(name: string, connectors: ReadonlySet<string>): string | null {
  if (connectors.has(name)) return name;
  const wanted = plain(name);
  const word = CONNECTOR_WORDS.get(wanted);
  if (word !== undefined) return connectors.has(word) ? word : null;
  if (wanted.length < 3 || wanted.length > 64) return null;
  const limit = wanted.length < LONG_NAME ? 1 : 2;
  for (const connector of connectors) {
    const other = plain(connector);
    if (Math.abs(other.length - wanted.length) <= limit && editDistance(wanted, other, limit + 1) <= limit)
      return connector;
  }
  return null;
}

function actionHint(connector: string, action: string | null, known: ReadonlySet<string>): string {
  const prefix = `${connector}.`;
  const actions = [...known].filter((each) => each.startsWith(prefix));
  const near = action === null ? undefined : didYouMean(`${prefix}${action}`, actions);
  if (near !== undefined) return near;
  const names = actions.slice(0, MAX_ACTIONS_IN_HINT).map((each) => each.slice(prefix.length));
  return `${connector} has ${names.join(', ')}${actions.length > MAX_ACTIONS_IN_HINT ? ', ...' : ''}`;
}

const plain = (name: string): string => name.toLowerCase().replace(/[-_ ]/g, '');
