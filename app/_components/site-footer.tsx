export function SiteFooter() {
  return (
    <footer className="site-footer">
      <p>
        No key is needed and no tokens are spent. Authored cassettes were written for this project; no model wrote them.
      </p>
    </footer>
  );
}
