/** As much of the DOM as the page of the API uses: elements with attributes, children and listeners. */
export class Element {
  readonly attributes = new Map<string, string>();
  readonly children: (Element | string)[] = [];
  readonly #listeners = new Map<string, ((event: { target: unknown }) => void)[]>();
  open = false;
  hidden = false;
  value = '';

  constructor(readonly name: string) {}

  get tagName(): string {
    return this.name.toUpperCase();
  }

  get childElementCount(): number {
    return this.children.filter((child) => typeof child !== 'string').length;
  }

  /** All texts in it, as a reader sees them. */
  get text(): string {
    return this.children.map((child) => (typeof child === 'string' ? child : child.text)).join('');
  }

  setAttribute(key: string, value: string): void {
    this.attributes.set(key, value);
  }

  append(...children: (Element | string)[]): void {
    this.children.push(...children);
  }

  replaceChildren(...children: (Element | string)[]): void {
    this.children.splice(0, this.children.length, ...children);
  }

  addEventListener(event: string, listener: (event: { target: unknown }) => void): void {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
  }

  fire(event: string): void {
    for (const listener of this.#listeners.get(event) ?? []) listener({ target: this });
  }

  scrollIntoView(): void {}

  /** It and all in it, in the order of the page. */
  *all(): Generator<Element> {
    yield this;
    for (const child of this.children) if (typeof child !== 'string') yield* child.all();
  }
}
