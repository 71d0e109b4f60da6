import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate that nobody but its holder vouches for, and its key, in PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** For these names and addresses, as openssl writes them: `DNS:db.test`, `IP:127.0.0.1`. Null, with a warning, without openssl. */
export function selfSigned(...names: string[]): Certificate | null {
  const dir = mkdtempSync(join(tmpdir(), 'everstep-tls-'));
  try {
    const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    const subject = ['-subj', '/CN=test', '-addext', `subjectAltName=${names.join(',')}`];
    execFileSync(
      'openssl',
      ['req', '-x509', ...curve, '-nodes', '-keyout', key, '-out', cert, '-days', '1', ...subject],
      {
        stdio: 'ignore',
      },
    );
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } catch (fault) {
    console.warn(`SKIPPED: tests that need a certificate, which openssl did not make: ${String(fault)}`);
    return null;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
