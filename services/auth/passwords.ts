import { hash, verify } from '@node-rs/argon2';
import { AppError } from '../../lib/errors';

/** `Algorithm.Argon2id` of the package, a const enum that isolated modules cannot import. */
const ARGON2ID = 2;

/** OWASP Password Storage Cheat Sheet: Argon2id with 19 MiB, two passes, one lane. */
const PARAMETERS = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Each hash uses one of four libuv threads for about 20 ms; file access and DNS lookups need threads too. */
const AT_ONCE = 2;
const MAX_WAITING = 200;
/** Lower for new hashes: registrations are open to everyone and must not block logins. */
const MAX_WAITING_TO_HASH = 100;

/** Hashes and verifies passwords with limited concurrency. */
export class Passwords {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  #dummy: Promise<string> | null = null;

  /** The Argon2id hash in PHC format. @throws AppError unavailable when too many callers wait */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => hash(normal(password), PARAMETERS), MAX_WAITING_TO_HASH);
  }

  /** True when the password has this hash. Without a stored hash it returns false after the same time, to prevent timing attacks. */
  async verify(password: string, stored: string | null): Promise<boolean> {
    this.#dummy ??= hash('no password has this hash', PARAMETERS);
    const against = stored ?? (await this.#dummy);
    const matches = await this.#inTurn(() => verify(against, normal(password)));
    return stored !== null && matches;
  }

  async #inTurn<T>(work: () => Promise<T>, maxWaiting = MAX_WAITING): Promise<T> {
    if (this.#running >= AT_ONCE) {
      if (this.#waiting.length >= maxWaiting) {
        throw new AppError('unavailable', 'Too many sign-ins at once; try again in a second', { retry_after: 1 });
      }
      // A finished task passes on its permit, so #running does not change.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

/** NFKC (NIST SP 800-63B 5.1.1.2): the same characters typed on another keyboard are the same password. */
const normal = (password: string): string => password.normalize('NFKC');
