export default function Loading() {
  return (
    <p className="notice" role="status">
      Loading…
    </p>
  );
}
