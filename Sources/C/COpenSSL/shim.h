#ifndef LIVESESSIONS_COPENSSL_H
#define LIVESESSIONS_COPENSSL_H

/* SHA-1's own functions work on a state of the caller's; through EVP each HMAC would allocate twice. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/md5.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/* Macros and function-like variadics that Swift cannot import. */

/* Returns the oldest error code of the thread's queue, and empties the queue. */
static inline unsigned long ls_take_error(void) {
  unsigned long code = ERR_get_error();
  ERR_clear_error();
  return code;
}

/* OpenSSL's or the system's own words for an error code, without anything secret; valid until the thread's next call. */
static inline const char *ls_error_text(unsigned long code) {
  static _Thread_local char unnamed[32];
  if (code == 0) return "no detail";
  /* The system's own errors are packed as a flag and errno, and have no words in OpenSSL. */
  if (ERR_SYSTEM_ERROR(code)) return strerror((int)ERR_GET_REASON(code));
  const char *reason = ERR_reason_error_string(code);
  if (reason) return reason;
  snprintf(unnamed, sizeof unnamed, "error %lu", code);
  return unnamed;
}

static inline EVP_PKEY *ls_make_p256_key(void) { return EVP_EC_gen("P-256"); }

static inline int ls_ctx_set_dtls12_only(SSL_CTX *ctx) {
  return SSL_CTX_set_min_proto_version(ctx, DTLS1_2_VERSION) && SSL_CTX_set_max_proto_version(ctx, DTLS1_2_VERSION);
}

static inline int ls_ctx_set_groups(SSL_CTX *ctx, const char *groups) { return (int)SSL_CTX_set1_groups_list(ctx, groups); }

static inline void ls_ctx_disable_sessions(SSL_CTX *ctx) { SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF); }

static inline uint64_t ls_association_options(void) {
  return SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_QUERY_MTU | SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION;
}

static inline void ls_set_mtu(SSL *ssl, long mtu) { SSL_set_mtu(ssl, mtu); }

static inline BIO *ls_make_memory_bio(void) {
  BIO *bio = BIO_new(BIO_s_mem());
  /* An empty BIO means "come again", not the end of the stream. */
  if (bio) BIO_set_mem_eof_return(bio, -1);
  return bio;
}

static inline long ls_bio_pending(BIO *bio) { return (long)BIO_ctrl_pending(bio); }

static inline void ls_bio_reset(BIO *bio) { (void)BIO_reset(bio); }

static inline long ls_bio_memory(BIO *bio, char **data) { return BIO_get_mem_data(bio, data); }

/* The certificate is judged by its fingerprint after the handshake, not by a chain of issuers (RFC 8827 §6.5). */
static inline int ls_accept_any_certificate(int preverified, X509_STORE_CTX *store) {
  (void)preverified;
  (void)store;
  return 1;
}

static inline void ls_ctx_request_peer_certificate(SSL_CTX *ctx) {
  SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, ls_accept_any_certificate);
}

/* `timeout` points to the microseconds after which OpenSSL itself may resend; it outlives the SSL. */
static inline unsigned int ls_dtls_timeout(SSL *ssl, unsigned int previous) {
  (void)previous;
  return *(const unsigned int *)SSL_get_app_data(ssl);
}

static inline void ls_set_dtls_timeout_source(SSL *ssl, unsigned int *timeout) {
  SSL_set_app_data(ssl, (void *)timeout);
  DTLS_set_timer_cb(ssl, ls_dtls_timeout);
}

static inline int ls_handle_timeout(SSL *ssl) { return (int)DTLSv1_handle_timeout(ssl); }

/* For clients of TLS: 1.2 or later, buffers given back when they are empty, no waiting for a peer that just hangs up. */
static inline int ls_ctx_configure_tls_client(SSL_CTX *ctx) {
  SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(ctx, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
  return (int)SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
}

static inline int ls_set_server_name(SSL *ssl, const char *name) { return (int)SSL_set_tlsext_host_name(ssl, name); }

static inline int ls_set_serial_number(X509 *certificate, long number) {
  return ASN1_INTEGER_set(X509_get_serialNumber(certificate), number);
}

#endif
