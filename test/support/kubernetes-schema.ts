import { ConfigMap, Namespace, Secret, Service } from 'kubernetes-models/v1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import type { Manifest } from './manifests';

const KINDS: Readonly<Record<string, new (data: never) => { validate(): void }>> = {
  'v1 ConfigMap': ConfigMap,
  'v1 Namespace': Namespace,
  'v1 Secret': Secret,
  'v1 Service': Service,
  'apps/v1 Deployment': Deployment,
  'autoscaling/v2 HorizontalPodAutoscaler': HorizontalPodAutoscaler,
  'networking.k8s.io/v1 Ingress': Ingress,
  'networking.k8s.io/v1 NetworkPolicy': NetworkPolicy,
  'policy/v1 PodDisruptionBudget': PodDisruptionBudget,
};

/** Errors of a document by the schemas of Kubernetes (package kubernetes-models), unknown fields included. */
export function faultsOf(manifest: Manifest): string[] {
  const name = `${manifest.apiVersion} ${manifest.kind}`;
  const Kind = KINDS[name];
  if (Kind === undefined) return [`no schema for ${name}`];
  const read = new Set<string>();
  // The constructor copies its argument, and so would read all fields.
  const model = Object.assign(new Kind({} as never), watched({ ...manifest }, '', read));
  read.clear();
  try {
    model.validate();
  } catch (fault) {
    return [`${name} ${manifest.metadata.name}: ${(fault as Error).message}`];
  }
  const { apiVersion: _version, kind: _kind, ...rest } = manifest;
  return Object.entries(rest)
    .flatMap(([key, value]) => unread(value, `/${key}`, read))
    .map((path) => `${name} ${manifest.metadata.name}: unknown field ${path}`);
}

/** The schemas are functions that read each known field: fields that were never read are unknown. */
function watched(value: unknown, path: string, read: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, key, receiver) {
      const found: unknown = Reflect.get(target, key, receiver);
      if (typeof key === 'symbol' || !Object.hasOwn(target, key)) return found;
      const place = `${path}/${key}`;
      read.add(place);
      return watched(found, place, read);
    },
  });
}

function unread(value: unknown, path: string, read: ReadonlySet<string>): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const place = `${path}/${key}`;
    return read.has(place) ? unread(inner, place, read) : [place];
  });
}
