import { AppError } from '../../lib/errors';

const WINDOW_MS = 60_000;
const MOST_IN_WINDOW = 60;
const MOST_AT_ONCE = 5;
/** Tenants remembered; the oldest leave first. */
const MOST_TENANTS = 50_000;

interface Visits {
  inside: number;
  count: number;
  /** End of the window that the first visit opened. */
  until: number;
}

/** Bounds how much of this process, and of the installation's own models, one tenant takes up by hand. */
export class Turnstile {
  readonly #visits = new Map<string, Visits>();

  /** Does the work when the tenant may come in. @throws AppError rate_limited */
  async pass<T>(tenantId: string, now: number, work: () => Promise<T>): Promise<T> {
    const visits = this.#visitsOf(tenantId, now);
    if (visits.inside >= MOST_AT_ONCE) throw refusal(`at most ${MOST_AT_ONCE} requests to models at a time`, 1);
    if (visits.count >= MOST_IN_WINDOW) {
      throw refusal(`at most ${MOST_IN_WINDOW} requests to models a minute`, Math.ceil((visits.until - now) / 1_000));
    }
    visits.inside += 1;
    visits.count += 1;
    try {
      return await work();
    } finally {
      visits.inside -= 1;
    }
  }

  #visitsOf(tenantId: string, now: number): Visits {
    const known = this.#visits.get(tenantId);
    if (known !== undefined && known.until > now) return known;
    // Those who are inside still count when a new window opens.
    const visits = { inside: known?.inside ?? 0, count: 0, until: now + WINDOW_MS };
    if (known !== undefined) return Object.assign(known, visits);
    const [oldest] = this.#visits.keys();
    if (this.#visits.size >= MOST_TENANTS && oldest !== undefined) this.#visits.delete(oldest);
    this.#visits.set(tenantId, visits);
    return visits;
  }
}

const refusal = (rule: string, seconds: number): AppError =>
  new AppError('rate_limited', `Too many: ${rule}, for one tenant`, { retry_after: seconds });
