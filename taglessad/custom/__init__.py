"""Derivative rules given by the user: for a function (custom_jvp, custom_vjp), for a new primitive."""
