export function SignIn({
  message,
  onSignIn,
}: {
  message: string | undefined;
  onSignIn: (key: string) => void;
}) {
  return (
    <form
      aria-label="Sign in"
      action={(data) => onSignIn(String(data.get("key")))}
    >
      {message !== undefined && <p role="alert">{message}</p>}
      <label>
        API key
        <input
          name="key"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
        />
      </label>
      <button>Sign in</button>
    </form>
  );
}
