import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A self-signed certificate and its key, in PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];

/** For these names and addresses, as openssl writes them: `DNS:db.test`, `IP:127.0.0.1`. Null, with a warning, without openssl. */
export const selfSigned = (...names: string[]): Certificate | null =>
  make([...CURVE, '-addext', `subjectAltName=${names.join(',')}`]);

/** One that signs messages, with an RSA key of so many bits, or one on a curve; good for a day. @throws Error without openssl */
export function signingCertificate(kind: 'rsa:2048' | 'rsa:1024' | 'curve' = 'rsa:2048'): Certificate {
  const made = make(kind === 'curve' ? CURVE : ['-newkey', kind]);
  if (made === null) throw new Error('This test needs openssl');
  return made;
}

function make(args: readonly string[]): Certificate | null {
  const dir = mkdtempSync(join(tmpdir(), 'everstep-tls-'));
  try {
    const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
    const files = ['-nodes', '-keyout', key, '-out', cert];
    execFileSync('openssl', ['req', '-x509', ...files, '-days', '1', '-subj', '/CN=test', ...args], {
      stdio: 'ignore',
    });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } catch (fault) {
    console.warn(`SKIPPED: tests that need a certificate, which openssl did not make: ${String(fault)}`);
    return null;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
