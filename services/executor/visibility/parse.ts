import { parseDuration } from '../../../lib/duration';
import { faultAt } from './fault';
import { type Token, tokensOf } from './tokens';
import type { Comparison, Condition, NameToken, Order, Query, Value } from './tree';

const MAX_QUERY_CHARS = 8_192;
const MAX_DEPTH = 32;
const MAX_CONDITIONS = 200;
const MAX_VALUES = 200;
const MAX_ORDERS = 3;
const KEYWORDS = new Set(['AND', 'OR', 'NOT', 'IN', 'BETWEEN', 'STARTS_WITH', 'IS', 'NULL', 'ORDER', 'BY']);
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  '=': '=',
  '!=': '!=',
  '<>': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};

/**
 * Parses a list filter: conditions with AND, OR, NOT and parentheses, then an optional ORDER BY. Keywords are not case-sensitive.
 * AND binds tighter than OR, and NOT tighter than both. @throws AppError invalid_query with the position of the fault
 */
export function parseQuery(text: string): Query {
  if (text.length > MAX_QUERY_CHARS)
    throw faultAt(MAX_QUERY_CHARS, `a query has at most ${MAX_QUERY_CHARS} characters`);
  return new Reader(tokensOf(text)).query();
}

class Reader {
  #next = 0;
  #conditions = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  query(): Query {
    const where = this.#ended || this.#isWord('ORDER') ? null : this.#either(0);
    const orderBy = this.#takeWord('ORDER') ? this.#orders() : [];
    if (!this.#ended) throw this.#unexpected('AND, OR, ORDER BY or the end');
    return { where, orderBy };
  }

  #either(depth: number): Condition {
    const terms = [this.#both(depth)];
    while (this.#takeWord('OR')) terms.push(this.#both(depth));
    return joined('or', terms);
  }

  #both(depth: number): Condition {
    const terms = [this.#one(depth)];
    while (this.#takeWord('AND')) terms.push(this.#one(depth));
    return joined('and', terms);
  }

  #one(depth: number): Condition {
    if (depth > MAX_DEPTH) throw faultAt(this.#token.at, `conditions nest at most ${MAX_DEPTH} deep`);
    if (this.#takeWord('NOT')) return { kind: 'not', term: this.#one(depth + 1) };
    if (this.#takeSymbol('(')) {
      const inner = this.#either(depth + 1);
      this.#expect(')');
      return inner;
    }
    return this.#condition();
  }

  #condition(): Condition {
    this.#conditions += 1;
    const field = this.#field();
    if (this.#conditions > MAX_CONDITIONS) throw faultAt(field.at, `a query has at most ${MAX_CONDITIONS} conditions`);
    const op = this.#token.kind === 'symbol' ? COMPARISONS[this.#token.value] : undefined;
    if (op !== undefined) {
      this.#next += 1;
      return { kind: 'compare', field, op, value: this.#value() };
    }
    if (this.#takeWord('IS')) {
      const absent: Condition = { kind: 'null', field };
      const negated = this.#takeWord('NOT');
      if (!this.#takeWord('NULL')) throw this.#unexpected('NULL');
      return negated ? { kind: 'not', term: absent } : absent;
    }
    const negated = this.#takeWord('NOT');
    const term = this.#listed(field);
    return negated ? { kind: 'not', term } : term;
  }

  #listed(field: NameToken): Condition {
    if (this.#takeWord('IN')) return { kind: 'in', field, values: this.#values() };
    if (this.#takeWord('STARTS_WITH')) return { kind: 'starts_with', field, prefix: this.#value() };
    if (!this.#takeWord('BETWEEN')) throw this.#unexpected('a comparison: = != < <= > >= IN BETWEEN STARTS_WITH IS');
    const from = this.#value();
    if (!this.#takeWord('AND')) throw this.#unexpected('AND and the other end');
    return { kind: 'between', field, from, to: this.#value() };
  }

  #values(): Value[] {
    this.#expect('(');
    const values = [this.#value()];
    while (this.#takeSymbol(',')) values.push(this.#value());
    if (values.length > MAX_VALUES) throw faultAt(this.#token.at, `a list has at most ${MAX_VALUES} values`);
    this.#expect(')');
    return values;
  }

  #value(): Value {
    const token = this.#token;
    const { at } = token;
    if (token.kind === 'word' && token.value.toLowerCase() === 'now') return this.#now(at);
    this.#next += 1;
    if (token.kind === 'text') return { kind: 'text', text: token.value, at };
    if (token.kind === 'number') return { kind: 'number', value: token.value, at };
    if (token.kind === 'span') return { kind: 'span', text: token.value, at };
    this.#next -= 1;
    const bare = token.kind === 'word' && !KEYWORDS.has(token.value.toUpperCase());
    throw bare ? faultAt(at, `a text needs quotes: '${token.value}'`) : this.#unexpected('a value');
  }

  #now(at: number): Value {
    this.#next += 1;
    this.#expect('(');
    this.#expect(')');
    const sign = this.#takeSymbol('-') ? -1 : this.#takeSymbol('+') ? 1 : 0;
    if (sign === 0) return { kind: 'now', offsetMs: 0, at };
    const token = this.#token;
    const ms = token.kind === 'span' ? parseDuration(token.value) : null;
    if (ms === null) throw this.#unexpected('a duration such as 1h30m or 7d');
    this.#next += 1;
    return { kind: 'now', offsetMs: sign * ms, at };
  }

  #orders(): Order[] {
    if (!this.#takeWord('BY')) throw this.#unexpected('BY');
    const orders: Order[] = [];
    do {
      const field = this.#field();
      const direction = this.#takeWord('DESC') ? -1 : 1;
      if (direction === 1) this.#takeWord('ASC');
      orders.push({ field, direction });
    } while (this.#takeSymbol(','));
    if (orders.length > MAX_ORDERS) throw faultAt(this.#token.at, `ORDER BY takes at most ${MAX_ORDERS} fields`);
    return orders;
  }

  #field(): NameToken {
    const token = this.#token;
    if (token.kind !== 'word' || KEYWORDS.has(token.value.toUpperCase())) throw this.#unexpected('a field');
    this.#next += 1;
    return { name: token.value, at: token.at };
  }

  get #token(): Token {
    // The last token is `end`, which is never consumed.
    return this.tokens[this.#next] as Token;
  }

  get #ended(): boolean {
    return this.#token.kind === 'end';
  }

  #isWord(word: string): boolean {
    return this.#token.kind === 'word' && this.#token.value.toUpperCase() === word;
  }

  #takeWord(word: string): boolean {
    const found = this.#isWord(word);
    if (found) this.#next += 1;
    return found;
  }

  #takeSymbol(symbol: string): boolean {
    const found = this.#token.kind === 'symbol' && this.#token.value === symbol;
    if (found) this.#next += 1;
    return found;
  }

  #expect(symbol: string): void {
    if (!this.#takeSymbol(symbol)) throw this.#unexpected(symbol);
  }

  #unexpected(wanted: string) {
    const token = this.#token;
    return faultAt(
      token.at,
      `expected ${wanted}, and there is ${token.kind === 'end' ? 'nothing more' : `"${token.value}"`}`,
    );
  }
}

const joined = (kind: 'and' | 'or', terms: readonly Condition[]): Condition =>
  terms.length === 1 ? (terms[0] as Condition) : { kind, terms };
