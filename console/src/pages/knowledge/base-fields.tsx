import { useState } from 'react';
import type { KnowledgeBaseView } from '../../api/client';
import { EMBEDDING_PROVIDERS, embeddingOf } from '../../model/knowledge';
import { Field, type FormValues, Select, TextField } from '../../ui';

const API_KEY_HINT = (
  <>
    A secret, such as <code>{'{{ secret.OPENAI_KEY }}'}</code>. Empty: the access of this installation.
  </>
);

/** Name, description, model and sizes of a knowledge base. */
export function BaseFields({ base }: { readonly base: KnowledgeBaseView | null }) {
  const [provider, setProvider] = useState(base?.embedding?.provider ?? '');
  const { embedding, chunking } = base ?? { embedding: null, chunking: null };
  return (
    <>
      <TextField name="name" label="Name" hint="Steps name the base by it." defaultValue={base?.name ?? ''} />
      <TextField name="description" label="Description" optional defaultValue={base?.description ?? ''} />
      <Field label="Embedding model" hint="With a model, texts are also found by their meaning.">
        <Select
          name="provider"
          options={EMBEDDING_PROVIDERS}
          value={provider}
          onChange={({ currentTarget: { value } }) => setProvider(value)}
        />
      </Field>
      {provider !== '' && (
        <ModelFields provider={provider} known={embedding?.provider === provider ? embedding : null} />
      )}
      <TextField
        name="max_tokens"
        label="Tokens of a part"
        type="number"
        hint="Documents are split into parts of at most this size, 50 to 2,000. For documents that come from now on."
        defaultValue={String(chunking?.max_tokens ?? 400)}
      />
      <TextField
        name="overlap_tokens"
        label="Tokens that two parts share"
        type="number"
        defaultValue={String(chunking?.overlap_tokens ?? 60)}
      />
    </>
  );
}

interface ModelFieldsProps {
  readonly provider: string;
  /** The settings in use, of the same provider. */
  readonly known: KnowledgeBaseView['embedding'];
}

function ModelFields({ provider, known }: ModelFieldsProps) {
  return (
    <>
      <TextField name="model" label="Model" placeholder="text-embedding-3-small" defaultValue={known?.model ?? ''} />
      <TextField
        name="base_url"
        label="Address of the server"
        type="url"
        optional={provider !== 'openai-compatible'}
        defaultValue={known?.base_url ?? ''}
      />
      <TextField name="api_key" label="Key" hint={API_KEY_HINT} optional defaultValue={known?.api_key ?? ''} />
    </>
  );
}

/** The body of the request. The model is sent when it has changed: another one makes all vectors anew. */
export function bodyOf(values: FormValues, base: KnowledgeBaseView | null) {
  const embedding = embeddingOf(values);
  const before = base?.embedding ?? null;
  const isSame =
    base !== null &&
    before?.provider === embedding?.provider &&
    before?.model === embedding?.model &&
    ['base_url', 'api_key'].every(
      (name) => (before && Reflect.get(before, name)) === ((embedding && Reflect.get(embedding, name)) ?? null),
    );
  return {
    name: values.name ?? '',
    description: values.description?.trim() ? values.description : null,
    ...(isSame ? {} : { embedding }),
    chunking: { max_tokens: Number(values.max_tokens), overlap_tokens: Number(values.overlap_tokens) },
  };
}
