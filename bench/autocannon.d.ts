/** The part of autocannon 9 that the benchmark uses; the package ships no types. */
declare module 'autocannon' {
  interface Options {
    url: string;
    method: 'GET' | 'POST';
    headers?: Record<string, string>;
    body?: string;
    connections: number;
    /** Seconds; `amount` of requests instead when given. */
    duration?: number;
    amount?: number;
    requests?: {
      onResponse(status: number, body: string): void;
      setupRequest?(request: Request): Request;
    }[];
  }
  interface Request {
    readonly body?: string;
  }
  interface Result {
    errors: number;
    timeouts: number;
    non2xx: number;
    '2xx': number;
    /** Seconds that the load really took. */
    duration: number;
  }
  interface Run extends Promise<Result> {
    on(
      event: 'response',
      listener: (client: unknown, status: number, bytes: number, milliseconds: number) => void,
    ): unknown;
  }
  function autocannon(options: Options): Run;
  export = autocannon;
}
