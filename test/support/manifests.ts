import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';

const K8S = join(__dirname, '..', '..', 'k8s');

/** The fields that every Kubernetes object has. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Labels };
  readonly [key: string]: unknown;
}

type Labels = Readonly<Record<string, string>>;

/** Whether `kubectl` is installed, which renders overlays. */
export const canRender = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0;

/** Renders an overlay. @throws Error with the message of kustomize */
export function rendered(overlay: 'dev' | 'production'): Manifest[] {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', join(K8S, 'overlays', overlay)], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return documents(stdout);
}

/** All objects in the files, without overlays. */
export function written(): Manifest[] {
  const folders = ['base', 'overlays/dev', 'overlays/production'].map((folder) => join(K8S, folder));
  const files = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
        .map((name) => join(folder, name)),
    );
  return files.flatMap((file) => documents(readFileSync(file, 'utf8')));
}

const documents = (text: string): Manifest[] =>
  loadAll(text).filter((one): one is Manifest => typeof one === 'object' && one !== null);
