import { BINARY_OPERATORS, type BinaryOperator, type Expression, partsOf, type Segment } from './ast';
import { ExpressionError } from './error';
import { type Token, tokenize } from './lexer';
import { CALL_HEIGHT, MAX_DEPTH, MAX_HEIGHT, MAX_NODES, MAX_SOURCE } from './limits';
import { operatorHint } from '../known-words';

const PRECEDENCE: ReadonlyMap<string, number> = new Map(
  BINARY_OPERATORS.flatMap((operators, level) => operators.map((operator) => [operator, level] as const)),
);
const LITERALS: ReadonlyMap<string, null | boolean> = new Map([
  ['null', null],
  ['true', true],
  ['false', false],
]);

/**
 * Reads one expression. Throws ExpressionError, and nothing else, when the text is not one or is over the limits.
 *
 * ```
 * pipe        = conditional { "|" name [ "(" arguments ")" ] }
 * conditional = binary [ "?" conditional ":" conditional ]
 * binary      = unary { operator unary }                      precedence climbing over BINARY_OPERATORS
 * unary       = ( "!" | "-" ) unary | postfix
 * postfix     = primary { "." member | "[" pipe "]" }
 * primary     = literal | name [ "(" arguments ")" ] | "(" pipe ")" | "[" list "]" | "{" object "}"
 * ```
 */
export function parse(source: string): Expression {
  if (source.length > MAX_SOURCE) throw new ExpressionError(`longer than ${MAX_SOURCE} characters`, source, MAX_SOURCE);
  return new Parser(source).whole();
}

class Parser {
  private readonly tokens: Token[];
  private next = 0;
  private depth = 0;
  private nodes = 0;
  private readonly heights = new Map<Expression, number>();
  /** Where the last token taken ends. */
  private end = 0;

  constructor(private readonly source: string) {
    this.tokens = tokenize(source);
  }

  whole(): Expression {
    if (this.peek().kind === 'end') throw this.error('the expression is empty');
    const tree = this.pipe();
    if (this.peek().kind !== 'end') throw this.error(`unexpected ${describe(this.peek())}`);
    return tree;
  }

  private pipe(): Expression {
    return this.nested(() => {
      let input = this.conditional();
      while (this.accept('|')) {
        const name = this.advance();
        // `| true` would print as `true(...)`, which reads as a literal.
        if (name.kind !== 'name' || LITERALS.has(name.value)) {
          throw this.error('a pipe needs the name of a function', name);
        }
        const rest = this.accept('(') ? this.list(')') : [];
        input = this.node({ kind: 'call', name: name.value, args: [input, ...rest], position: name.position });
      }
      return input;
    });
  }

  private conditional(): Expression {
    const test = this.binary(0);
    if (!this.accept('?')) return test;
    const whenTrue = this.nested(() => this.conditional());
    this.expect(':');
    const whenFalse = this.nested(() => this.conditional());
    return this.node({ kind: 'conditional', test, whenTrue, whenFalse });
  }

  private binary(minimum: number): Expression {
    let left = this.unary();
    for (;;) {
      const token = this.peek();
      const level = token.kind === 'symbol' || token.kind === 'name' ? PRECEDENCE.get(token.value) : undefined;
      if (level === undefined || level < minimum) return left;
      this.advance();
      const right = this.binary(level + 1);
      left = this.node({
        kind: 'binary',
        operator: token.value as BinaryOperator,
        left,
        right,
        position: token.position,
      });
    }
  }

  private unary(): Expression {
    const token = this.peek();
    const operator = token.kind === 'symbol' ? token.value : '';
    if (operator !== '!' && operator !== '-') return this.postfix();
    this.advance();
    const operand = this.nested(() => this.unary());
    return this.node({ kind: 'unary', operator, operand, position: token.position });
  }

  private postfix(): Expression {
    const position = this.peek().position;
    const base = this.primary();
    const segments: Segment[] = [];
    for (;;) {
      const token = this.peek();
      if (token.kind === 'member') {
        this.advance();
        segments.push({ kind: 'key', name: token.value, end: this.end });
      } else if (this.accept('[')) {
        const value = this.pipe();
        this.expect(']');
        segments.push({ kind: 'index', value, end: this.end });
      } else {
        return segments.length === 0 ? base : this.node({ kind: 'path', base, segments, position });
      }
    }
  }

  private primary(): Expression {
    const token = this.advance();
    if (token.kind === 'number' || token.kind === 'text') return this.node({ kind: 'literal', value: token.value });
    if (token.kind === 'name') return this.named(token.value, token.position);
    if (token.value === '(') {
      const inner = this.pipe();
      this.expect(')');
      return inner;
    }
    if (token.value === '[') return this.node({ kind: 'list', items: this.list(']') });
    if (token.value === '{') return this.object();
    throw this.error(token.kind === 'end' ? 'the expression ends too early' : `unexpected ${describe(token)}`, token);
  }

  private named(name: string, position: number): Expression {
    const literal = LITERALS.get(name);
    if (literal !== undefined) return this.node({ kind: 'literal', value: literal });
    if (this.accept('(')) return this.node({ kind: 'call', name, args: this.list(')'), position });
    return this.node({ kind: 'root', name, position });
  }

  private list(close: string): Expression[] {
    const items: Expression[] = [];
    while (!this.accept(close)) {
      if (items.length > 0) this.expect(',', close);
      if (items.length > 0 && this.accept(close)) break;
      items.push(this.pipe());
    }
    return items;
  }

  private object(): Expression {
    const entries: { key: string; value: Expression }[] = [];
    while (!this.accept('}')) {
      if (entries.length > 0) this.expect(',', '}');
      if (entries.length > 0 && this.accept('}')) break;
      const key = this.advance();
      if (key.kind !== 'name' && key.kind !== 'text') throw this.error('a key is a name or a quoted text', key);
      this.expect(':');
      entries.push({ key: key.value, value: this.pipe() });
    }
    return this.node({ kind: 'object', entries });
  }

  /** Runs one level deeper, so that no source can exhaust the stack. */
  private nested<T>(read: () => T): T {
    if (this.depth >= MAX_DEPTH) throw this.error(`nested deeper than ${MAX_DEPTH}`);
    this.depth += 1;
    const result = read();
    this.depth -= 1;
    return result;
  }

  private node(expression: Expression): Expression {
    this.nodes += 1;
    if (this.nodes > MAX_NODES) throw this.error(`more than ${MAX_NODES} parts`);
    const below = partsOf(expression).reduce((max, part) => Math.max(max, this.heights.get(part) ?? 0), 0);
    const height = below + (expression.kind === 'call' ? CALL_HEIGHT : 1);
    if (height > MAX_HEIGHT) throw this.error('too many operators or pipes after each other');
    this.heights.set(expression, height);
    return expression;
  }

  private peek(): Token {
    // The list ends with an `end` token that `advance` never passes.
    return this.tokens[this.next] as Token;
  }

  private advance(): Token {
    const token = this.peek();
    if (token.kind !== 'end') this.next += 1;
    this.end = token.end;
    return token;
  }

  private accept(symbol: string): boolean {
    const token = this.peek();
    if (token.kind !== 'symbol' || token.value !== symbol) return false;
    this.advance();
    return true;
  }

  private expect(symbol: string, ...alternatives: string[]): void {
    if (this.accept(symbol)) return;
    const wanted = [symbol, ...alternatives].join(' or ');
    throw this.error(`expected ${wanted}, found ${describe(this.peek())}`);
  }

  private error(message: string, token: Token = this.peek()): ExpressionError {
    // Before `not x`, the name `not` has been read as a value.
    const before = this.tokens[this.tokens.indexOf(token) - 1];
    const word = [token, before].find((each) => each?.kind === 'name' && operatorHint(each.value) !== undefined);
    const hint = word?.kind === 'name' ? `; ${operatorHint(word.value)}` : '';
    return new ExpressionError(`${message}${hint}`, this.source, token.position);
  }
}

const describe = (token: Token): string => {
  if (token.kind === 'end') return 'the end';
  if (token.kind === 'member') return `.${token.value}`;
  return token.kind === 'text' ? 'a text' : String(token.value);
};
