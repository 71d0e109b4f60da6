/** The mark with the name. */
export function Logo() {
  return (
    <span className="logo">
      <svg viewBox="0 0 32 32" width="20" height="20" aria-hidden="true">
        <rect width="32" height="32" rx="8" className="logo-ground" />
        <path d="M8 22h6v-6h6v-6h4" className="logo-steps" />
      </svg>
      Everstep
    </span>
  );
}
