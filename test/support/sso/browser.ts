/** An answer as a browser sees it before it follows a redirect. */
export interface Page {
  readonly status: number;
  /** Where it leads, absolute; null when it leads nowhere. */
  readonly location: string | null;
  readonly cookies: readonly string[];
  readonly text: string;
}

interface Cookie {
  readonly path: string;
  readonly value: string;
}

/** A browser with its cookies, by host. Redirects are followed one by one, and never to `stopAt`. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, Cookie>>();

  /** Another one with the same cookies. */
  copy(): Browser {
    const copy = new Browser();
    for (const [host, cookies] of this.#cookies) copy.#cookies.set(host, new Map(cookies));
    return copy;
  }

  async open(url: string, form?: Readonly<Record<string, string>>, crossSite = false): Promise<Page> {
    const { host, pathname } = new URL(url);
    // SameSite=Lax: a post from another site sends no cookie.
    const known = crossSite && form !== undefined ? [] : [...(this.#cookies.get(host) ?? [])];
    const cookie = known
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`);
    const response = await fetch(url, {
      redirect: 'manual',
      headers: cookie.length === 0 ? {} : { cookie: cookie.join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    const cookies = response.headers.getSetCookie();
    for (const each of cookies) this.#keep(host, each);
    const location = response.headers.get('location');
    return {
      status: response.status,
      location: location === null ? null : new URL(location, url).href,
      cookies,
      text: await response.text(),
    };
  }

  /** Follows redirects until one leads to `stopAt`, and returns its address. @throws Error when none does */
  async follow(url: string, stopAt: string): Promise<string> {
    for (let at = url, steps = 0; steps < 20; steps += 1) {
      const page = await this.open(at);
      if (page.location === null) throw new Error(`${at} answers ${page.status}: ${page.text.slice(0, 500)}`);
      at = page.location;
      if (at.startsWith(stopAt)) return at;
    }
    throw new Error('The redirects do not end');
  }

  #keep(host: string, text: string): void {
    const [pair = '', ...attributes] = text.split(';').map((part) => part.trim());
    const equals = pair.indexOf('=');
    const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)];
    const path = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? '/';
    const ended =
      attributes.some((each) => /^max-age=0$/i.test(each)) ||
      attributes.some((each) => /^expires=thu, 01 jan 1970/i.test(each));
    const own = this.#cookies.get(host) ?? new Map<string, Cookie>();
    this.#cookies.set(host, own);
    if (ended) own.delete(name);
    else own.set(name, { path, value });
  }
}

/** The fields of a fragment. */
export const outcomeOf = (location: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(new URL(location).hash.slice(1)));
