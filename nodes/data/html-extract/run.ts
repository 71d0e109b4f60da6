import { setOwn } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import { Budget } from '../budget';
import { computed } from '../computed';
import { compileSelector } from '../html/select';
import { type HtmlElement, parseHtml } from '../html/tree';
import { innerHtml, textOf } from '../html/write';

/** The value that is taken from a matching element. */
interface Extraction {
  selector: string;
  all?: boolean;
  attribute?: string;
  as?: 'text' | 'html';
  fields?: Record<string, Extraction>;
}

/** The input, validated by the schema. */
interface HtmlExtractInput {
  html: string;
  selectors: Record<string, Extraction>;
}

/** Extracts values from the descendants of an element. */
type Extract = (within: HtmlElement) => Json;

/** Finds elements by CSS selectors, and takes their text, HTML or attributes. */
export const run = computed('html-extract', (input) => {
  // The runtime has checked the input against the input schema.
  const { html, selectors } = input as unknown as HtmlExtractInput;
  return extractorOf(selectors, new Budget())(parseHtml(html));
});

/** One value for each name. Selectors are compiled once, however many elements they are tried on. */
function extractorOf(extractions: Record<string, Extraction>, budget: Budget): (within: HtmlElement) => JsonObject {
  const extracts = Object.entries(extractions).map(([name, one]) => [name, extractOf(one, budget)] as const);
  return (within) => {
    const values: JsonObject = {};
    for (const [name, extract] of extracts) setOwn(values, name, extract(within));
    return values;
  };
}

function extractOf(extraction: Extraction, budget: Budget): Extract {
  const select = compileSelector(extraction.selector, budget);
  const value = valueOf(extraction, budget);
  return (within) => {
    const found = select(within);
    if (extraction.all === true) return found.map(value);
    return found[0] === undefined ? null : value(found[0]);
  };
}

function valueOf({ attribute, as = 'text', fields }: Extraction, budget: Budget): Extract {
  if (fields !== undefined) return extractorOf(fields, budget);
  if (attribute !== undefined) return (element) => element.attributes.get(attribute.toLowerCase()) ?? null;
  const read = as === 'html' ? innerHtml : textOf;
  return (element) => {
    const text = read(element);
    // The same text comes again with each element around it that a selector finds too.
    budget.spend(text.length >> 2);
    return text;
  };
}
