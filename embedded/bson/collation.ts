import { compareStrings, type StringOrder } from './compare';
import { badValue, failedToParse, typeMismatch } from './error';
import { isNumeric, toDouble } from './numeric';
import { type Doc, isDoc, type Maybe } from './value';

/** Strings compare byte by byte under the simple collation, and by a locale's rules otherwise. */
export interface Collation {
  compare: StringOrder;
  simple: boolean;
}

export const SIMPLE: Collation = { compare: compareStrings, simple: true };

const FIELDS = new Set([
  'locale',
  'strength',
  'caseLevel',
  'caseFirst',
  'numericOrdering',
  'alternate',
  'maxVariable',
  'backwards',
  'normalization',
]);

const SENSITIVITY: Record<string, Intl.CollatorOptions['sensitivity']> = {
  '1': 'base',
  '1case': 'case',
  '2': 'accent',
  '2case': 'variant',
  '3': 'variant',
};

/**
 * The collation that a document asks for. What Intl.Collator cannot do is refused, never approximated
 * except strength 4 and 5, which only break ties that strength 3 leaves.
 */
export function collationOf(spec: Maybe): Collation {
  if (spec === undefined || (isDoc(spec) && spec.size === 0)) return SIMPLE;
  if (!isDoc(spec)) throw typeMismatch('collation must be a document');
  for (const name of spec.keys()) if (!FIELDS.has(name)) throw failedToParse(`unknown collation option: ${name}`);
  const locale = spec.get('locale');
  if (typeof locale !== 'string') throw failedToParse('collation needs a locale');
  if (locale === 'simple') return SIMPLE;
  return { compare: localeOrder(locale, spec), simple: false };
}

function localeOrder(locale: string, spec: Doc): StringOrder {
  const tag = locale.replaceAll('_', '-');
  if (supported(tag).length === 0) throw badValue(`collation locale is not supported: ${locale}`);
  if (spec.get('backwards') === true) throw badValue('collation option backwards is not supported');
  const strength = integerOption(spec, 'strength', 3, 1, 5);
  const caseLevel = spec.get('caseLevel') === true && strength < 3 ? 'case' : '';
  const caseFirst = spec.get('caseFirst') ?? 'off';
  if (caseFirst !== 'off' && caseFirst !== 'upper' && caseFirst !== 'lower') {
    throw badValue('collation option caseFirst must be upper, lower or off');
  }
  const collator = new Intl.Collator(tag, {
    usage: 'sort',
    sensitivity: SENSITIVITY[`${Math.min(strength, 3)}${caseLevel}`] ?? 'variant',
    numeric: spec.get('numericOrdering') === true,
    caseFirst: caseFirst === 'off' ? 'false' : caseFirst,
    ignorePunctuation: spec.get('alternate') === 'shifted',
  });
  return collator.compare;
}

function supported(tag: string): string[] {
  try {
    return Intl.Collator.supportedLocalesOf(tag);
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

function integerOption(spec: Doc, name: string, fallback: number, least: number, most: number): number {
  const value = spec.get(name);
  if (value === undefined) return fallback;
  const number = isNumeric(value) ? toDouble(value) : Number.NaN;
  if (!Number.isInteger(number) || number < least || number > most) {
    throw badValue(`collation option ${name} must be an integer from ${least} to ${most}`);
  }
  return number;
}
