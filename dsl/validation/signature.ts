import { isObject } from '../../lib/json';
import { SIGNATURE_PRESETS } from '../../lib/webhook-signature/presets';
import { SIGNATURE_ALGORITHMS } from '../../lib/webhook-signature/setting';
import { type Issues, typeName } from './issues';
import { checkKeys } from './keywords';
import { checkDuration, checkWord } from './policies';

const PRESET_KEYS = ['preset', 'secret', 'tolerance'];
const OWN_KEYS = ['header', 'algorithm', 'encoding', 'prefix', 'signed', 'timestamp_header', 'secret', 'tolerance'];
/** A token of RFC 9110, section 5.6.2. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const SECRET = /^\{\{\s*secret\.[A-Za-z_]\w{0,127}\s*\}\}$/;
const MAX_TEXT_LENGTH = 200;

/** Checks the setting `signature` of an `http` trigger: a preset, or the parts of a signature. */
export function checkSignature(value: unknown, path: string, issues: Issues): void {
  if (!isObject(value)) {
    issues.error(path, `must be an object, not ${typeName(value)}`, EXAMPLE);
    return;
  }
  const { preset, secret, header, prefix, signed, timestamp_header: timestamp } = value;
  if (secret === undefined) issues.error(`${path}.secret`, 'is missing', 'write {{ secret.NAME }}');
  else if (typeof secret !== 'string' || !SECRET.test(secret))
    issues.error(`${path}.secret`, 'must be one secret and nothing else', 'write {{ secret.NAME }}');
  checkDuration(value.tolerance, `${path}.tolerance`, issues);
  if (preset !== undefined) {
    checkKeys(value, PRESET_KEYS, path, 'a signature with a preset', issues);
    checkWord(preset, Object.keys(SIGNATURE_PRESETS), `${path}.preset`, issues);
    return;
  }
  checkKeys(value, [...OWN_KEYS, 'preset'], path, 'a signature', issues);
  if (header === undefined) issues.error(`${path}.header`, 'is missing', `name the header, or a preset: ${EXAMPLE}`);
  else checkHeaderName(header, `${path}.header`, issues);
  checkWord(value.algorithm, SIGNATURE_ALGORITHMS, `${path}.algorithm`, issues);
  checkWord(value.encoding, ['hex', 'base64'], `${path}.encoding`, issues);
  if (prefix !== undefined) checkShortText(prefix, `${path}.prefix`, issues);
  if (timestamp !== undefined) checkHeaderName(timestamp, `${path}.timestamp_header`, issues);
  else if (value.tolerance !== undefined)
    issues.error(`${path}.tolerance`, 'needs timestamp_header, which says when the request was made');
  if (signed === undefined) return;
  checkShortText(signed, `${path}.signed`, issues);
  if (typeof signed === 'string' && !signed.includes('{body}'))
    issues.error(
      `${path}.signed`,
      'does not sign the body',
      'write {body} where the body stands: "{timestamp}.{body}"',
    );
  if (typeof signed === 'string' && timestamp !== undefined && !signed.includes('{timestamp}'))
    issues.error(`${path}.signed`, 'does not sign the time', 'write {timestamp} where it stands, or leave signed out');
}

const EXAMPLE = '{"preset": "github", "secret": "{{ secret.NAME }}"}';

function checkHeaderName(value: unknown, path: string, issues: Issues): void {
  if (typeof value !== 'string' || !HEADER_NAME.test(value)) issues.error(path, 'is not the name of a header');
}

function checkShortText(value: unknown, path: string, issues: Issues): void {
  if (typeof value !== 'string') issues.error(path, `must be text, not ${typeName(value)}`);
  else if (value.length > MAX_TEXT_LENGTH) issues.error(path, `is longer than ${MAX_TEXT_LENGTH} characters`);
}
